import { CannotDo, type Outcome } from '../blocks/outcome.js';

/**
 * Makes this process a measuring one for `askFreshProcess`: it says that it has started, is sent one job, answers once, and
 * is killed.
 *
 * @param measure yields one number for each metric.
 */
export function answerOnce<Job>(measure: (job: Job) => Promise<Record<string, number>>): void {
  // `on`, not `once`: the channel must keep the process alive, or a promise that never settles would end it in silence.
  process.on('message', (job: Job) => {
    void outcomeOf(() => measure(job)).then((outcome) => process.send?.(outcome));
  });
  process.send?.({ type: 'started' });
}

async function outcomeOf(measure: () => Promise<Record<string, number>>): Promise<Outcome> {
  try {
    const metrics = await measure();
    const { user, system } = process.cpuUsage();
    return { type: 'measured', metrics, cpuSeconds: (user + system) / 1e6 };
  } catch (error) {
    return error instanceof CannotDo
      ? { type: 'cannot', reason: error.message }
      : { type: 'failed', reason: String(error) };
  }
}
