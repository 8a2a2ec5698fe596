import type { TracedProgram } from '../results/trace-summary.js';
import { ms, percent } from '../results/words.js';

/** A wait that is a smaller share of the time from submission to callback is not worth a change. */
const WORTH = 0.1;
/** Of the cores that the process can get so much was used: more threads would only share them. */
const FULL = 0.85;
/** Of the time on a thread so much was spent waiting for a core: other threads or processes were in the way. */
const STARVED = 0.25;
/** Of one core: the event loop had hardly a free moment. */
const LOOP_FULL = 0.85;

type Facts = Omit<TracedProgram, 'advice'>;

/** What the jobs do not tell. */
export interface Circumstances {
  /** Cores that the machine gives to all processes of the command together. */
  readonly cores: number;
  /** How long was recorded. */
  readonly seconds: number;
  /** Whether every process could be looked into. */
  readonly isSeen: boolean;
}

/**
 * What to do about where the time of the jobs went, in one sentence: more threads, more cores, a freer event loop, or
 * nothing. The largest of the three waits decides, if it is worth it at all.
 */
export function adviceOf(program: Facts, { cores, seconds, isSeen }: Circumstances): TracedProgram['advice'] {
  const { budget } = program;
  if (budget === null && !isSeen)
    return { id: 'trace.unseen', text: 'unclear: its jobs could not be recorded; the note below says why' };
  if (budget === null)
    return {
      id: 'trace.unused',
      text: `the app never used the pool in ${ms(seconds)} s: its size cannot matter`,
    };
  const share = (part: number): number => (budget.total.meanMs === 0 ? 0 : part / budget.total.meanMs);
  const waits = [
    { wait: 'queue', share: share(budget.queue.meanMs) },
    { wait: 'core', share: share(budget.core.meanMs) },
    { wait: 'loop', share: share(budget.loop.meanMs) },
  ].sort((a, b) => b.share - a.share);
  const [worst] = waits;
  if (worst === undefined || worst.share < WORTH) return nothing(program);
  const of = `${percent(worst.share)} % of the time from submission to callback`;
  if (worst.wait === 'queue') return aboutQueue(program, cores, of);
  if (worst.wait === 'core')
    return {
      id: 'trace.more-cores',
      text: `more cores, or less other work on them: jobs that had a thread waited for a core for ${of} (mean ${ms(budget.core.meanMs)} ms); more threads would not help`,
    };
  return aboutLoop(program, of);
}

function nothing({ budget }: Facts): TracedProgram['advice'] {
  const { cpu, blocked } = budget as NonNullable<Facts['budget']>;
  const where =
    cpu.meanMs >= blocked.meanMs ? 'on CPU' : 'in the work itself, waiting for a disk, the network or a lock';
  return {
    id: 'trace.nothing',
    text: `nothing: jobs hardly wait, their time goes ${where}; another pool size would not be noticed`,
  };
}

function aboutQueue(program: Facts, cores: number, of: string): TracedProgram['advice'] {
  const mean = ms((program.budget as NonNullable<Facts['budget']>).queue.meanMs);
  if (program.coresUsed !== null && program.coresUsed >= FULL * cores)
    return {
      id: 'trace.more-cores',
      text: `more cores: jobs waited for a pool thread for ${of} (mean ${mean} ms), but ${program.coresUsed.toFixed(1)} of ${cores} cores were busy; more threads would only share them`,
    };
  const { core, cpu, blocked } = program.budget as NonNullable<Facts['budget']>;
  const starved = core.meanMs / Math.max(Number.MIN_VALUE, core.meanMs + cpu.meanMs + blocked.meanMs);
  if (starved >= STARVED)
    return {
      id: 'trace.more-cores',
      text: `more cores, or less other work on them: jobs waited for a pool thread for ${of} (mean ${mean} ms), but those that had one spent ${percent(starved)} % of their time on it waiting for a core; more threads would wait with them`,
    };
  const slow = program.kinds.filter((kind) => kind.slow && kind.waited > 0);
  const half =
    slow.length > 0
      ? `; of lookups (${slow.map(({ kind }) => kind).join(', ')}) only half of the pool serves any, a cache or kept connections help as well`
      : '';
  const use =
    program.coresUsed === null ? '' : ` while ${program.coresUsed.toFixed(1)} of ${cores} cores were busy`;
  return {
    id: 'trace.more-threads',
    text: `more threads: jobs waited for a pool thread for ${of} (mean ${mean} ms)${use}${half}`,
  };
}

function aboutLoop({ eventLoopCpu, budget }: Facts, of: string): TracedProgram['advice'] {
  const mean = ms((budget as NonNullable<Facts['budget']>).loop.meanMs);
  const use = eventLoopCpu === null ? '' : `, which used ${percent(eventLoopCpu)} % of a core`;
  const text = `results waited for the event loop for ${of} (mean ${mean} ms)${use}`;
  return eventLoopCpu !== null && eventLoopCpu < LOOP_FULL
    ? {
        id: 'trace.event-loop-delay',
        text: `a freer event loop: ${text}: single callbacks hold it, or other threads its core; another pool size would not help`,
      }
    : {
        id: 'trace.event-loop-busy',
        text: `a freer event loop: ${text}; move its work away or run more processes, another pool size would not help`,
      };
}
