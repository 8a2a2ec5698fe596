import type { FreshAnswer, Outcome, RoundAnswer, RoundOrder } from '../messages.js';

/** What one run yields. */
export interface Yield {
  /** One number for each metric. */
  readonly metrics: Record<string, number>;
  /** CPU seconds that processes that help have used since they were started, which are not the machine's noise either. Default: 0. */
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

/** Something that is measured round by round. */
export interface Opened {
  round(): Promise<Yield>;
  /** Clean up what outlives the process. */
  close?(): Promise<void>;
}

/**
 * Makes this process one of those that take turns, for `LiveContestant`: it is sent one job, prepares, and then answers each
 * order. In between nothing of it should use a CPU.
 */
export function answerRounds<Job>(open: (job: Job) => Promise<Opened>): void {
  let opened: Opened | null = null;
  process.on('message', (message: Job | RoundOrder) => {
    void (async () => {
      try {
        if (opened === null) {
          opened = await open(message as Job);
          say({ type: 'ready' });
        } else say(await obey(opened, message as RoundOrder));
      } catch (error) {
        say({ type: 'failed', reason: String(error) });
      }
    })();
  });
  // The parent is gone: nobody wants the answer.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  say({ type: 'started' });
}

async function obey(opened: Opened, order: RoundOrder): Promise<RoundAnswer> {
  if (order.do === 'close') {
    await opened.close?.();
    return { type: 'closed' };
  }
  const { metrics, helperCpuSeconds = 0 } = await opened.round();
  const bad = Object.entries(metrics).find(([, value]) => !Number.isFinite(value));
  if (bad !== undefined) throw new Error(`${bad[0]} is ${bad[1]}`);
  return { type: 'round', metrics, totalCpuSeconds: cpuSeconds() + helperCpuSeconds };
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const say = (answer: FreshAnswer | RoundAnswer): void => void process.send?.(answer);

async function outcomeOf(measure: () => Promise<Yield>): Promise<Outcome> {
  try {
    const { metrics, helperCpuSeconds = 0 } = await measure();
    return { type: 'measured', metrics, cpuSeconds: cpuSeconds() + helperCpuSeconds };
  } catch (error) {
    return error instanceof CannotDo
      ? { type: 'cannot', reason: error.message }
      : { type: 'failed', reason: String(error) };
  }
}
