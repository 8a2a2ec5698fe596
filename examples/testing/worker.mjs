export const resize = (image) => `small ${image}`;
