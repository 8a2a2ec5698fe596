/** Deno's threads and ports differ from Node's. Each use of this explains how. */
export const IN_DENO = process.versions.deno !== undefined;
