import type { FreshAnswer, Outcome } from '../messages.js';

/** What one run yields. */
export interface Yield {
  /** One number for each metric. */
  readonly metrics: Record<string, number>;
  /** CPU seconds of processes that helped, which are not the machine's noise either. Default: 0. */
  readonly helperCpuSeconds?: number;
}

/** A library has no way to do what a run asks for: an outcome of its own, not a failure. */
export class CannotDo extends Error {
  override readonly name = 'CannotDo';
}

/**
 * Makes this process a measuring one for `askFreshProcess`: it says that it has started, is sent one job, answers once, and
 * is killed.
 */
export function answerOnce<Job>(measure: (job: Job) => Promise<Yield>): void {
  // `on`, not `once`: the channel must keep the process alive, or a promise that never settles would end it in silence.
  process.on('message', (job: Job) => {
    void outcomeOf(() => measure(job)).then(say);
  });
  say({ type: 'started' });
}

const say = (answer: FreshAnswer): void => void process.send?.(answer);

async function outcomeOf(measure: () => Promise<Yield>): Promise<Outcome> {
  try {
    const { metrics, helperCpuSeconds = 0 } = await measure();
    const { user, system } = process.cpuUsage();
    return { type: 'measured', metrics, cpuSeconds: (user + system) / 1e6 + helperCpuSeconds };
  } catch (error) {
    return error instanceof CannotDo
      ? { type: 'cannot', reason: error.message }
      : { type: 'failed', reason: String(error) };
  }
}
