import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, PlimsollError } from '../errors.js';
import { splitNodeOptions } from '../host/node-options.js';
import { commandOf, isGone, nodeProcess, notPermitted, startTime } from '../host/processes.js';
import { readText } from '../host/read.js';
import { holderOf, type Listener, listenersOf, localListeners, socketsOf } from '../host/sockets.js';
import { until } from '../lab/until.js';
import { InspectorSession, NoAnswer, SessionClosed } from './inspector-session.js';

export interface AttachOptions {
  /** How long the process has to open its inspector, in milliseconds; by default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Attached {
  /** As JSON; a promise is awaited. `require` loads built-in modules, and files by absolute paths. By default within 10 s. */
  evaluate(source: string, timeoutMs?: number): Promise<unknown>;
  /** Closes the inspector, unless another tool had opened it. Never throws. */
  close(): Promise<void>;
}

export class RemoteError extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor({ name, message, code }: { name: string; message: string; code?: string }) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

const ATTACH_MS = 5000;
const ANSWER_MS = 10_000;
const POLL_MS = 10;
const NUDGE_MS = 50;
/** Node installs its handler of SIGUSR1 a moment after the process began. */
const START_MS = 1000;
/** After this time without an inspector the signal is sent again: the port may have been taken for a moment. */
const AGAIN_MS = 1000;
/** If plimsoll is killed, the process closes the inspector this long after its last answer was due. */
const SPARE_MS = 5000;
const CLOSE_MS = 1000;
const ENDING_MS = 500;
const LIST_MS = 2000;
const DEFAULT_PORT = 9229;

const problem = (code: ErrorCode, pid: number, text: string, cause?: unknown): PlimsollError =>
  new PlimsollError(code, `process ${pid} ${text}`, { cause });

/**
 * Open the inspector of a running Node process by SIGUSR1, which needs no flag and no restart, and connect to it. While it is open
 * (some tens of milliseconds), every user of the machine may connect; the process writes a line about it to standard error.
 */
export async function attach(
  pid: number,
  { timeoutMs = ATTACH_MS, signal }: AttachOptions = {},
): Promise<Attached> {
  const variable = nodeProcess(pid);
  checkReach(pid);
  const born = startTime(pid);
  const words = [...splitNodeOptions(variable('NODE_OPTIONS') ?? ''), ...commandOf(pid).slice(1)];
  const { port: inspectorPort, anyPort } = inspectorFlags(words);
  const earlier = await openInspector(
    listenersOf(pid).filter(({ port }) => anyPort || port === inspectorPort),
  );
  const url = earlier ?? (await wake(pid, inspectorPort, timeoutMs, signal));
  const explain = async (error: unknown): Promise<never> => {
    throw await explained(error, pid, born);
  };
  const session = await InspectorSession.open(url, timeoutMs).catch(explain);
  const isOurs = earlier === null;
  let lastId = 0;
  return {
    async evaluate(source, ms = ANSWER_MS) {
      const id = ++lastId;
      try {
        await session.evaluate(started(source, id, isOurs ? ms + SPARE_MS : null), ms);
        const outcome = (await nudged(session, session.evaluate(ended(id), ms, true))) as Outcome;
        if ('error' in outcome) throw new RemoteError(outcome.error);
        return 'value' in outcome ? outcome.value : undefined;
      } catch (error) {
        return explain(error);
      }
    },
    async close() {
      // It never answers. A main thread that does not run closes the inspector as soon as it does.
      if (isOurs) await session.evaluate(CLOSE, CLOSE_MS).catch(() => {});
      session.close();
      // Node closes connections first and the port a moment later: until then a second attach would meet this inspector.
      const port = Number(new URL(url).port);
      if (isOurs) await until(() => listenersOf(pid).every((listener) => listener.port !== port), CLOSE_MS);
    },
  };
}

type Outcome =
  | { readonly value?: unknown }
  | { readonly error: ConstructorParameters<typeof RemoteError>[0] };

/**
 * The inspector interrupts a program anywhere, even where Node has read its queue of ticks and is about to write it: adding a tick
 * or a timer there can stop that queue forever. Microtasks wait in a queue of V8's until the program's callback has returned.
 */
const afterwards = (source: string): string => `(async () => { await undefined; ${source} })()`;

/** A program that waits for events runs its microtasks after the next one, so send one. */
async function nudged<Value>(session: InspectorSession, answer: Promise<Value>): Promise<Value> {
  const nudge = setInterval(() => void session.evaluate('0', NUDGE_MS).catch(() => {}), NUDGE_MS);
  return answer.finally(() => clearInterval(nudge));
}

/** The timer that closes the inspector of the process, and pending promises. */
const STATE = "globalThis[Symbol.for('plimsoll.attached')]";
const ended = (id: number): string =>
  `((state) => { const promise = state[${id}]; delete state[${id}]; return promise; })(${STATE})`;
/** It adds no tick and no timer, so it is safe anywhere, even in a call that does not return. */
const CLOSE = `delete ${STATE}; process.getBuiltinModule('node:inspector').close()`;

/** Calls `source` as soon as that is safe; `ended` awaits it. The inspector closes by itself if plimsoll is killed. */
const started = (source: string, id: number, closeAfterMs: number | null): string => `void ((state) => {
  state[${id}] = ${afterwards(`try {
    if (!process.getBuiltinModule) throw new Error('it runs Node.js ' + process.version + ', and plimsoll needs 20.19, 22.12 or newer');
    clearTimeout(state.timer);
    ${closeAfterMs === null ? '' : `state.timer = setTimeout(() => { if (${STATE} === state) { ${CLOSE} } }, ${closeAfterMs}).unref();`}
    const require = process.getBuiltinModule('node:module').createRequire(process.execPath);
    return { value: await (${source}) };
  } catch (error) {
    return { error: { name: String(error?.name ?? 'Error'), message: String(error?.message ?? error), code: error?.code } };
  }`)};
})(${STATE} ??= {})`;

const died = (pid: number, cause?: unknown): PlimsollError =>
  problem('PLIMSOLL_TARGET_DIED', pid, 'ended meanwhile', cause);

async function explained(error: unknown, pid: number, born: number | null): Promise<unknown> {
  const hasDied = (): boolean => startTime(pid) !== born || isGone(pid);
  // A process that ends closes its sockets first.
  if (error instanceof SessionClosed) await until(hasDied, ENDING_MS);
  if (hasDied()) return died(pid, error);
  if (error instanceof NoAnswer) {
    const text = `sent ${error.message}: its main thread is in a call that does not return, or a debugger has stopped it`;
    return problem('PLIMSOLL_TARGET_HUNG', pid, text, error);
  }
  if (!(error instanceof SessionClosed)) return error;
  const text = `closed its inspector (${error.message}); does another tool use it? Try again`;
  return problem('PLIMSOLL_NO_INSPECTOR', pid, text, error);
}

function checkReach(pid: number): void {
  try {
    process.kill(pid, 0);
    if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) return;
  } catch {
    throw notPermitted(pid);
  }
  throw problem(
    'PLIMSOLL_NOT_PERMITTED',
    pid,
    'runs in a container with a separate network namespace, so plimsoll cannot reach its inspector from here; run plimsoll inside the container (docker exec, kubectl exec)',
  );
}

/** @returns `anyPort`: it was started with an inspector on any free port. */
export function inspectorFlags(words: readonly string[]): { port: number; anyPort: boolean } {
  const ports = words.flatMap((word) => {
    const [, value] = /^--(?:inspect(?:-brk|-wait|-port)?|debug-port)=(?:.*:)?(\d+)$/.exec(word) ?? [];
    return value === undefined ? [] : [Number(value)];
  });
  const port = ports.at(-1) ?? DEFAULT_PORT;
  return { port, anyPort: port === 0 && words.some((word) => /^--inspect(-brk|-wait)?(=|$)/.test(word)) };
}

/** The address of a session at the first of these listeners that is an inspector. */
async function openInspector(listeners: readonly Listener[]): Promise<string | null> {
  for (const { host, port } of listeners) {
    try {
      const signal = AbortSignal.timeout(LIST_MS);
      const response = await fetch(`http://${host}:${port}/json/list`, { signal });
      const [target] = (await response.json()) as { type?: string; webSocketDebuggerUrl?: string }[];
      if (target?.type === 'node' && target.webSocketDebuggerUrl !== undefined)
        return target.webSocketDebuggerUrl;
    } catch {
      // A server of the program itself.
    }
  }
  return null;
}

async function wake(pid: number, port: number, timeoutMs: number, signal?: AbortSignal): Promise<string> {
  // Without a handler the signal would end the process.
  if (!(await until(() => handlesSignal(pid), START_MS, signal)))
    throw problem(
      'PLIMSOLL_NO_INSPECTOR',
      pid,
      'has its inspector switched off (--disable-sigusr1, --permission without --allow-inspector, or a build without an inspector); start it with the inspector available',
    );
  const before = socketsOf(pid);
  const rival = () => localListeners(pid).find((listener) => listener.port === port);
  const end = performance.now() + timeoutMs;
  let againAt = 0;
  for (;;) {
    const url = await openInspector(listenersOf(pid, '/', before));
    if (url !== null) return url;
    const now = performance.now();
    if (now > end) throw notOpened(pid, timeoutMs, port, rival());
    // Another process that plimsoll is attached to has the port for a moment.
    if (now >= againAt && rival() === undefined) {
      process.kill(pid, 'SIGUSR1');
      againAt = now + AGAIN_MS;
    }
    await sleep(POLL_MS, undefined, { signal });
    if (isGone(pid)) throw died(pid);
  }
}

/** Bit 9 of the masks in /proc/PID/status is SIGUSR1, number 10 on Linux. */
const SIGUSR1_BIT = 0x200n;

function handlesSignal(pid: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readText('/', `/proc/${pid}/status`) ?? '')?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGUSR1_BIT) !== 0n;
}

function notOpened(pid: number, timeoutMs: number, port: number, rival?: Listener): PlimsollError {
  const text = `did not open its inspector within ${timeoutMs} ms of SIGUSR1: does the program listen for this signal, or is its main thread in a call that does not return?`;
  if (rival === undefined) return problem('PLIMSOLL_NO_INSPECTOR', pid, text);
  const holder = holderOf(rival.inode);
  const taken = `port ${port}, which the inspector needs, is in use by ${holder === null ? 'another process' : `process ${holder}`}; end that process, or close its debugger, and try again`;
  return new PlimsollError('PLIMSOLL_PORT_IN_USE', taken);
}
