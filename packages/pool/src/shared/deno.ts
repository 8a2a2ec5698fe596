/** Deno's threads and ports differ from Node's in what the pool stands on. Each place that asks says how. */
export const IN_DENO = process.versions.deno !== undefined;
