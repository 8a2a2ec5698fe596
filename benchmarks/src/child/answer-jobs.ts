import { CannotDo, type Outcome } from '../blocks/outcome.js';

/**
 * Makes this process a measuring one for `Processes`: it says that it has started, answers one job after another, and is
 * killed.
 *
 * @param measure yields one number for each metric.
 */
export function answerJobs<Job>(measure: (job: Job) => Promise<Record<string, number>>): void {
  let counted = 0;
  const cpuSeconds = (): number => {
    const { user, system } = process.cpuUsage();
    const since = (user + system) / 1e6 - counted;
    counted += since;
    return since;
  };
  process.on('message', (job: Job) => {
    void outcomeOf(() => measure(job), cpuSeconds).then((outcome) => process.send?.(outcome));
  });
  process.send?.({ type: 'started' });
}

async function outcomeOf(
  measure: () => Promise<Record<string, number>>,
  cpuSeconds: () => number,
): Promise<Outcome> {
  try {
    return { type: 'measured', metrics: await measure(), cpuSeconds: cpuSeconds() };
  } catch (error) {
    return error instanceof CannotDo
      ? { type: 'cannot', reason: error.message }
      : { type: 'failed', reason: String(error) };
  }
}
