import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { splitNodeOptions } from '../host/node-options.js';
import { nodeProcess, notPermitted } from '../host/node-process.js';
import { commandOf, isGone, startTime } from '../host/processes.js';
import { readText } from '../host/read.js';
import { holderOf, type Listener, listenersOf, localListeners } from '../host/sockets.js';
import { InspectorSession, NoAnswer, SessionClosed } from './inspector-session.js';

export interface AttachOptions {
  /** How long the process has to open its inspector, in milliseconds; by default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Attached {
  /**
   * The value of an expression in the main thread of the process, as JSON; a promise is waited for. `require` in it loads what is
   * built into Node, and files by their absolute paths, whatever kind of module the program is.
   *
   * @param timeoutMs how long the answer may take, in milliseconds; by default 10,000.
   */
  evaluate(source: string, timeoutMs?: number): Promise<unknown>;
  /** Leaves the inspector as it was: closed, unless somebody else had opened it. Never throws. */
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
/** Node's own handler of SIGUSR1 is there a moment after the process began. */
const START_MS = 1000;
/** After so long without an inspector the signal is sent once more: the port may have been taken for a moment. */
const AGAIN_MS = 1000;
/** So long after its last answer was due a process closes the inspector by itself, should plimsoll be killed. */
const SPARE_MS = 5000;
const CLOSE_MS = 1000;
const ENDING_MS = 500;
const DEFAULT_PORT = 9229;

/**
 * Open the inspector of a running Node process by SIGUSR1, which needs no flag and no restart, and connect to it. While it is open
 * (some tens of milliseconds), every user of the machine may connect to it; the process writes a line about it to its standard error.
 */
export async function attach(
  pid: number,
  { timeoutMs = ATTACH_MS, signal }: AttachOptions = {},
): Promise<Attached> {
  const variable = nodeProcess(pid);
  checkReach(pid);
  const born = startTime(pid);
  const flags = inspectorFlags([
    ...splitNodeOptions(variable('NODE_OPTIONS') ?? ''),
    ...commandOf(pid).slice(1),
  ]);
  const mayBeInspector = ({ port }: Listener): boolean => flags.anyPort || port === flags.port;
  const earlier = await openInspector(listenersOf(pid).filter(mayBeInspector));
  const url = earlier ?? (await wake(pid, flags.port, timeoutMs, signal));
  const session = await InspectorSession.open(url, timeoutMs).catch(async (error: unknown) => {
    throw await explained(error, pid, born);
  });
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
        throw await explained(error, pid, born);
      }
    },
    async close() {
      if (isOurs) {
        // No answer can come of it. A main thread that does not run closes it as soon as it does.
        await session.evaluate(CLOSE, CLOSE_MS).catch(() => {});
      }
      session.close();
      // Node closes connections first, and a moment later the port: until then a second attach would meet this inspector.
      const end = performance.now() + CLOSE_MS;
      const port = Number(new URL(url).port);
      while (isOurs && performance.now() < end && listenersOf(pid).some((listener) => listener.port === port))
        await sleep(POLL_MS);
    },
  };
}

type Outcome =
  | { readonly value?: unknown }
  | { readonly error: ConstructorParameters<typeof RemoteError>[0] };

/**
 * The inspector interrupts a program anywhere, even where Node's own code has read its queue of ticks and is about to write it: a
 * tick or a timer that is added there can stop that queue for ever. Microtasks wait in a queue of V8's, until the program's callback
 * has returned.
 */
const afterwards = (source: string): string => `(async () => { await undefined; ${source} })()`;

/** A program that waits for events works off its microtasks after the next one, which may be this. */
async function nudged<Value>(session: InspectorSession, answer: Promise<Value>): Promise<Value> {
  const nudge = setInterval(() => void session.evaluate('0', NUDGE_MS).catch(() => {}), NUDGE_MS);
  return answer.finally(() => clearInterval(nudge));
}

/** What plimsoll keeps in the process for the while: the timer that closes its inspector, and promises that are waited for. */
const KEPT = "globalThis[Symbol.for('plimsoll.attached')]";
const ended = (id: number): string =>
  `((kept) => { const promise = kept[${id}]; delete kept[${id}]; return promise; })(${KEPT})`;
/** Anywhere, as it adds no tick and no timer: also in a call that does not return. */
const CLOSE = `delete ${KEPT}; process.getBuiltinModule('node:inspector').close()`;

/**
 * The text of an expression that calls `source` as soon as that is safe, for `ended` to wait for.
 *
 * @param closeAfterMs when the inspector is to close by itself, should plimsoll be killed; `null`: never.
 */
const started = (source: string, id: number, closeAfterMs: number | null): string => `void ((kept) => {
  kept[${id}] = ${afterwards(`try {
    if (!process.getBuiltinModule) throw new Error('it runs Node.js ' + process.version + ', and plimsoll needs 20.19, 22.12 or newer');
    clearTimeout(kept.timer);
    ${closeAfterMs === null ? '' : `kept.timer = setTimeout(() => { if (${KEPT} === kept) { ${CLOSE} } }, ${closeAfterMs}).unref();`}
    const require = process.getBuiltinModule('node:module').createRequire(process.execPath);
    return { value: await (${source}) };
  } catch (error) {
    return { error: { name: String(error?.name ?? 'Error'), message: String(error?.message ?? error), code: error?.code } };
  }`)};
})(${KEPT} ??= {})`;

async function explained(error: unknown, pid: number, born: number | null): Promise<unknown> {
  const hasDied = (): boolean => startTime(pid) !== born || isGone(pid);
  // A process that ends closes its sockets first.
  const end = performance.now() + ENDING_MS;
  while (error instanceof SessionClosed && !hasDied() && performance.now() < end) await sleep(POLL_MS);
  if (hasDied())
    return new PlimsollError('PLIMSOLL_TARGET_DIED', `process ${pid} ended meanwhile`, { cause: error });
  if (error instanceof NoAnswer)
    return new PlimsollError(
      'PLIMSOLL_TARGET_HUNG',
      `process ${pid}: ${error.message}: its main thread is in a call that does not return, or a debugger has stopped it`,
      { cause: error },
    );
  if (error instanceof SessionClosed)
    return new PlimsollError(
      'PLIMSOLL_NO_INSPECTOR',
      `process ${pid} closed its inspector (${error.message}); does another tool use it? Try again`,
      { cause: error },
    );
  return error;
}

function checkReach(pid: number): void {
  try {
    process.kill(pid, 0);
    if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) return;
  } catch {
    throw notPermitted(pid);
  }
  throw new PlimsollError(
    'PLIMSOLL_NOT_PERMITTED',
    `process ${pid} runs in a container (its own network namespace), so its inspector cannot be reached from here; run plimsoll inside the container (docker exec, kubectl exec)`,
  );
}

interface Flags {
  readonly port: number;
  /** It was started with an inspector on any free port. */
  readonly anyPort: boolean;
}

/** By the words of its command line, and of NODE_OPTIONS before them. */
export function inspectorFlags(words: readonly string[]): Flags {
  const given = words.flatMap((word) => {
    const [, value] = /^--(?:inspect(?:-brk|-wait|-port)?|debug-port)=(?:.*:)?(\d+)$/.exec(word) ?? [];
    return value === undefined ? [] : [Number(value)];
  });
  const port = given.at(-1) ?? DEFAULT_PORT;
  return { port, anyPort: port === 0 && words.some((word) => /^--inspect(-brk|-wait)?(=|$)/.test(word)) };
}

const LIST_MS = 2000;

/** The address of a session at the first of these sockets that is an inspector. */
async function openInspector(listeners: readonly Listener[]): Promise<string | null> {
  for (const { host, port } of listeners) {
    try {
      const response = await fetch(`http://${host}:${port}/json/list`, {
        signal: AbortSignal.timeout(LIST_MS),
      });
      const [target] = (await response.json()) as { type?: string; webSocketDebuggerUrl?: string }[];
      if (target?.type === 'node' && target.webSocketDebuggerUrl !== undefined)
        return target.webSocketDebuggerUrl;
    } catch {
      // A server of the program itself.
    }
  }
  return null;
}

async function wake(
  pid: number,
  port: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  await handlesSignal(pid, signal);
  const before = new Set(listenersOf(pid).map(({ inode }) => inode));
  const end = performance.now() + timeoutMs;
  let againAt = 0;
  for (;;) {
    const rival = localListeners(pid).find((listener) => listener.port === port);
    const url = await openInspector(listenersOf(pid).filter(({ inode }) => !before.has(inode)));
    if (url !== null) return url;
    const now = performance.now();
    if (now > end) throw rival === undefined ? notOpened(pid, timeoutMs) : portTaken(port, rival);
    // Another process that plimsoll is attached to has the port for a moment.
    if (rival === undefined && now >= againAt) {
      process.kill(pid, 'SIGUSR1');
      againAt = now + AGAIN_MS;
    }
    await sleep(POLL_MS, undefined, { signal });
    if (isGone(pid)) throw new PlimsollError('PLIMSOLL_TARGET_DIED', `process ${pid} ended meanwhile`);
  }
}

/** Bit 9 of the masks in /proc/PID/status is SIGUSR1, number 10 on Linux. */
const SIGUSR1_BIT = 0x200n;

/** Without a handler the signal would end the process: it is sent to one that has one, only. */
async function handlesSignal(pid: number, signal: AbortSignal | undefined): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readText('/', `/proc/${pid}/status`) ?? '')?.[1];
    if (mask !== undefined && (BigInt(`0x${mask}`) & SIGUSR1_BIT) !== 0n) return;
    if (performance.now() > end)
      throw new PlimsollError(
        'PLIMSOLL_NO_INSPECTOR',
        `process ${pid} has its inspector switched off (--disable-sigusr1, --permission without --allow-inspector, or a build without an inspector); start it with the inspector available`,
      );
    await sleep(POLL_MS, undefined, { signal });
  }
}

const notOpened = (pid: number, timeoutMs: number): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_NO_INSPECTOR',
    `process ${pid} did not open its inspector within ${timeoutMs} ms of SIGUSR1: does the program listen for this signal, or is its main thread in a call that does not return?`,
  );

function portTaken(port: number, { inode }: Listener): PlimsollError {
  const holder = holderOf(inode);
  const who = holder === null ? 'another process' : `process ${holder} (${commandOf(holder).join(' ')})`;
  return new PlimsollError(
    'PLIMSOLL_PORT_IN_USE',
    `port ${port}, which the inspector needs, is in use by ${who}; end that process, or close its debugger, and try again`,
  );
}
