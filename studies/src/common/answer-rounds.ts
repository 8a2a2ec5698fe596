import type { RoundAnswer, RoundOrder } from './rounds.js';

/** What one round yields. */
export interface Yield {
  /** One number for each metric. */
  readonly metrics: Record<string, number>;
  /** CPU seconds that processes that help have used since they were started, which are not the machine's noise either. Default: 0. */
  readonly helperCpuSeconds?: number;
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

const say = (answer: RoundAnswer | { readonly type: 'started' }): void => void process.send?.(answer);
