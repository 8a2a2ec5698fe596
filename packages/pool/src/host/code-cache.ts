/** V8's code cache of the workers' entry. A worker that starts after another was ready creates it for later workers. */
export const codeCache = {
  code: undefined as Uint8Array | undefined,
  isWanted: false,
};
