/** Fails the run of a contender whose results are wrong. */
export function expect(right: boolean, what: string): asserts right {
  if (!right) throw new Error(`wrong result: ${what}`);
}
