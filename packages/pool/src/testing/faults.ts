import { badRange, badType } from '../errors.js';
import { count, text } from '../host/options.js';

/**
 * What goes wrong with a call: its worker dies of an uncaught error ('crash'), by `process.exit()` ('exit'), or at
 * its heap limit ('oom'); the call never returns ('hang'); or the worker file cannot be loaded ('load'). Or with
 * the start of a worker: the worker exits before it is ready ('start').
 */
export type FaultKind = (typeof KINDS)[number];
const KINDS = ['crash', 'exit', 'oom', 'hang', 'load', 'start'] as const;

export interface Fault {
  readonly kind: FaultKind;
  /** Which call fails, counted from now; with 'start', which worker start. Default: 1, the next one. */
  readonly nth?: number | undefined;
  /** How many calls or starts in a row fail, from that one on; Infinity: all. Default: 1. */
  readonly times?: number | undefined;
  /** Only calls of this exported function count. Not for 'start'. Default: all calls. */
  readonly name?: string | undefined;
  /**
   * For 'crash', 'exit', 'oom' and 'hang': the fault replaces the function ('before'), or the function does its
   * work and then the fault hits before the pool hears of the result ('after'). Default: 'before'.
   */
  readonly when?: 'before' | 'after' | undefined;
  /**
   * For 'crash', 'load' and 'start': the `cause` of the error that tasks are rejected with. Default: an Error; for
   * 'start' none.
   */
  readonly error?: unknown;
  /** For 'exit' and 'start': the exit code of the worker. Default: 1. */
  readonly exitCode?: number | undefined;
}

export interface InjectedFault {
  /** How many calls or starts it has hit so far. */
  readonly hits: number;
}

const MOST = Number.MAX_SAFE_INTEGER;

export interface Armed {
  readonly kind: FaultKind;
  readonly name: string | undefined;
  readonly isAfter: boolean;
  readonly death: Death;
  /** Calls or starts to let pass before it hits. */
  toPass: number;
  /** Calls or starts that it still hits. */
  remaining: number;
  hits: number;
}

export interface Death {
  /** Node's error for an uncaught error or the heap limit. */
  readonly failure?: { readonly error: unknown } | undefined;
  readonly exitCode: number;
}

export class Faults {
  readonly #armed: Armed[] = [];

  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION */
  inject(fault: Fault): InjectedFault {
    const armed = armedOf(fault);
    this.#armed.push(armed);
    return {
      get hits() {
        return armed.hits;
      },
    };
  }

  ofCall(name: string): Armed | undefined {
    return this.#next((fault) => fault.kind !== 'start' && (fault.name ?? name) === name);
  }

  ofStart(): Armed | undefined {
    return this.#next((fault) => fault.kind === 'start');
  }

  /** Every matching fault counts the call or start; the fault that was injected first hits. */
  #next(isFor: (fault: Armed) => boolean): Armed | undefined {
    let hit: Armed | undefined;
    for (const fault of this.#armed) {
      if (!isFor(fault) || fault.remaining === 0) continue;
      if (fault.toPass > 0) fault.toPass--;
      else hit ??= fault;
    }
    if (hit === undefined) return undefined;
    hit.remaining--;
    hit.hits++;
    return hit;
  }
}

function armedOf(settings: Fault): Armed {
  if (typeof settings !== 'object' || settings === null) throw badType('fault', settings, 'an object');
  const fault: Fault = Object.assign(Object.create(null), settings);
  const { kind, when = 'before', name, times } = fault;
  if (!KINDS.includes(kind)) throw badType('fault.kind', kind, `one of ${KINDS.join(', ')}`);
  if (when !== 'before' && when !== 'after') throw badType('fault.when', when, "'before' or 'after'");
  if (kind === 'start' && name !== undefined) throw badType('fault.name', name, "left out for 'start'");
  if (when === 'after' && (kind === 'start' || kind === 'load'))
    throw badType('fault.when', when, `left out for '${kind}'`);
  return {
    kind,
    name: text('fault.name', name),
    isAfter: when === 'after',
    death: deathOf(fault),
    toPass: (count('fault.nth', fault.nth, 1, MOST) ?? 1) - 1,
    remaining: times === Number.POSITIVE_INFINITY ? times : (count('fault.times', times, 1, MOST) ?? 1),
    hits: 0,
  };
}

function deathOf(fault: Fault): Death {
  const { kind } = fault;
  const exitCode = count('fault.exitCode', fault.exitCode, 0, 255) ?? 1;
  if (fault.exitCode !== undefined && kind !== 'exit' && kind !== 'start')
    throw badRange('fault.exitCode', exitCode, `left out for '${kind}'`);
  if (kind === 'oom') return { failure: { error: outOfMemory() }, exitCode };
  if ('error' in fault) return { failure: { error: fault.error }, exitCode };
  const fails = kind === 'crash' || kind === 'load';
  return { failure: fails ? { error: new Error('injected') } : undefined, exitCode };
}

function outOfMemory(): Error {
  const error = new Error('Worker terminated due to reaching memory limit: JS heap out of memory');
  return Object.assign(error, { code: 'ERR_WORKER_OUT_OF_MEMORY' });
}
