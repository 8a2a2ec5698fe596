import { type Guardian, type Supervision, withGuardian } from '../lab/guardian.js';

export interface RunOptions<Progress> {
  /** Ends what runs; the result holds what was measured until then and says that it was interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far the measurement is. What it throws rejects the command. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Run under a guardian of its own: no process and no temporary directory is left, however the work ends. */
export const supervised = <Result>(
  signal: AbortSignal | undefined,
  work: (supervision: Supervision) => Promise<Result>,
): Promise<Result> =>
  withGuardian((guardian: Guardian) => work({ guardian, signal: signal ?? new AbortController().signal }));
