interface Wrong {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly log: readonly string[];
}

interface Programs {
  runPrograms(options: { count: number; first?: number; isReal?: boolean }): Promise<{ wrong: Wrong[] }>;
}

// A plain script outside the compiled folders; its name in a variable keeps the compiler from looking for types.
const url = new URL('../scripts/stress/programs.mjs', import.meta.url);
const { runPrograms } = (await import(url.href)) as Programs;

/** What has gone wrong in random programs, those of the seeds from `first` on; `isReal`: on threads. */
export async function wrongPrograms(options: {
  count: number;
  first?: number;
  isReal?: boolean;
}): Promise<string[]> {
  const { wrong } = await runPrograms(options);
  return wrong.map(({ seed, faults, log }) => `seed ${seed}: ${faults.join('; ')} (${log.join(' ')})`);
}
