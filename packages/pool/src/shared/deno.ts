export const IN_DENO = process.versions.deno !== undefined;
