/** How long ended jobs stay, of a fleet and of BullMQ by hand: seconds, so that large ones do not fill the memory. */
export const KEEP = { age: 10, count: 1000 };
