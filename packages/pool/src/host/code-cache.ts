/**
 * V8's code of the workers' entry. A worker makes it that is started when another one has been ready, since more may follow: they
 * compile nothing that it has compiled.
 */
export const codeCache = {
  code: undefined as Uint8Array | undefined,
  isWanted: false,
};
