/** The workloads, whose work is in work.ts. */
export const CASES: Readonly<Record<string, string>> = {
  'cpu-burst': 'a burst of pbkdf2 of five sizes: pure CPU, so no more threads than cores',
  'cpu-steady-40': 'pbkdf2 at random moments, cores 40 % busy',
  'cpu-steady-70': 'pbkdf2 at random moments, cores 70 % busy',
  'cpu-steady-90': 'pbkdf2 at random moments, cores 90 % busy',
  'blocked-burst': 'a burst of jobs that block a thread for 20 ms without CPU: the more threads the better',
  'blocked-steady': 'such jobs every 6 ms at random: 3.5 under way on average',
  mix: 'blocked jobs and pbkdf2 in turn, at random moments',
  chains: 'chains of readFile and pbkdf2, each step submitted by the one before',
  'tiny-fs': '16 chains of fs.stat: jobs of a few microseconds',
  convoy: 'eight slow lookups behind a stream of blocked jobs',
  'busy-loop': 'pbkdf2 beside an event loop that computes 6 ms of every 14',
};

export const QUICK: readonly string[] = ['cpu-burst', 'blocked-burst'];
export const SIZES: readonly number[] = [1, 2, 4, 8, 16, 64];
/** The size whose runs have a twin. */
export const BASELINE = 4;

/** What is predicted from a run at which size. */
export const HOLD_OUTS: readonly (readonly [from: number, to: readonly number[]])[] = [
  [4, [1, 2, 8, 16, 64]],
  [16, [2, 4]],
];
