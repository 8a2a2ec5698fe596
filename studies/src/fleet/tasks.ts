/** What is sent comes back. */
export const echo = (value: unknown): unknown => value;

/** Waits without using a CPU, as for a database. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
