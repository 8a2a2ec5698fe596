/** The smallest task worth the name: whatever it costs is the pool's. */
export default ({ a, b }: { a: number; b: number }): number => a + b;
