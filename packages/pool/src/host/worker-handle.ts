import { getPriority, setPriority } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { now } from '../shared/clock.js';
import { type Memory, memoryOf } from '../shared/codec/decode.js';
import { Makers } from '../shared/codec/makers.js';
import { IN_DENO } from '../shared/deno.js';
import { AWAKE, gateAt, isWoken, mustWake, WOKEN } from '../shared/gate.js';
import { Times } from '../shared/histogram.js';
import { ABORTABLE_NOW, CLAIMED, RINGS_MADE } from '../shared/layout.js';
import * as message from '../shared/messages.js';
import { newPost, Post, portsOf } from '../shared/post.js';
import { SmallMap } from '../shared/small-map.js';
import { blockAt, hasNothing, mailCount, runningNow, type Table } from '../shared/table.js';
import { codeCache } from './code-cache.js';
import { startThread, type ThreadOptions } from './start-thread.js';

/** Longer times count as this many milliseconds in `pace`: 20 quick ends then bring it below 2, at first five. */
const SLOW = 30;
const UNKNOWN = 3;

export interface WorkerEvents {
  onWake(): void;
  onMessage(worker: WorkerHandle, received: message.Message): void;
  emit(event: 'message', value: unknown): void;
  onExit(worker: WorkerHandle, exitCode: number): void;
}

// The states of a worker, in this order; a worker may skip some.
export const STARTING = 0;
export const READY = 1;
/** It takes no more tasks, and exits when its tasks have ended. */
export const RETIRING = 2;
/** The pool has stopped it; its thread may not exit for long. */
export const STOPPING = 3;
export const EXITED = 4;

export const takesTasks = (worker: WorkerHandle): boolean => worker.state <= READY;
export const isRunning = (worker: WorkerHandle): boolean =>
  worker.state === READY || worker.state === RETIRING;

export class WorkerHandle {
  readonly thread: Worker;
  readonly threadId: number;
  readonly index: number;
  readonly number: number | undefined;
  readonly gate: number;
  state: number = STARTING;
  endedAs: number = STARTING;
  hasStarted = false;
  readyAt = 0;
  /** Tasks with a key, and parts of broadcasts, for this worker; how many of them need it to themselves. */
  pinned = 0;
  pinnedAlone = 0;
  keys = 0;
  openStreams = 0;
  /** Its worker files must dispose of something before it exits. */
  disposes = false;
  hasRetireMessage = false;
  isOverHeap = false;
  successor: WorkerHandle | undefined;
  /** `completed` when its replacement failed. */
  postponedAt: number | undefined;
  failure: { error: unknown } | undefined;
  completed = 0;
  /** `completed` when `watchAhead` began. */
  watchedAt = 0;
  /** Tasks in its mailbox, or running, that other workers could have run; how many of them need it to themselves. */
  mailed = 0;
  mailedAlone = 0;
  /** The number of the last task submitted before the host drained this worker. */
  lastNumber = 0;
  /** Moving average of the milliseconds between ends of tasks that transfer something. */
  pace = UNKNOWN;
  #endedAt: number | undefined;
  readonly times: Times | undefined;
  /** When the host first saw it idle, and `claimed` at that time; undefined while it works. */
  idleSince: number | undefined;
  idleMark = 0;
  readonly exited: Promise<void>;
  readonly makers = new Makers(() => this.readMessages());
  readonly #table: Table;
  readonly #block: number;
  readonly #events: WorkerEvents;
  readonly #post: Post;
  #ring: Memory | undefined;
  #ringsMade = 0;
  readonly #payloads = new SmallMap<{ sequence: number; payload: message.Payload }>();
  /** The payload of the last posted host call: the next call drops it, if the worker gave that call up unheard. */
  #request = -1;
  /** Why messages could not be read, oldest first. Results that need them are read in the same order. */
  readonly #losses: unknown[] = [];
  #lastMessage = 0;

  constructor(
    startup: Omit<message.Startup, keyof message.PostPorts>,
    table: Table,
    options: ThreadOptions,
    events: WorkerEvents,
  ) {
    const [near, far] = newPost();
    this.#table = table;
    this.#events = events;
    this.index = startup.index;
    this.number = startup.number;
    this.times = startup.times && new Times(startup.times);
    this.gate = gateAt(table, startup.index);
    this.#block = blockAt(table.layout, startup.index);
    const post = new Post(near, {
      accept: (received) => this.#accept(received),
      lose: (reason) => this.#losses.push(reason),
    });
    const thread = startThread(options);
    this.#post = post;
    this.thread = thread;
    this.threadId = thread.threadId;
    thread.postMessage({ ...startup, ...far }, portsOf(far));
    post.listen(() => events.onWake());
    post.unref();
    thread.on('message', (value: unknown) => events.emit('message', value));
    thread.on('error', (error: unknown) => {
      this.failure ??= { error };
    });
    this.exited = new Promise((resolve) => {
      thread.once('exit', (code: number) => {
        post.readAll();
        post.close();
        events.onExit(this, code);
        resolve();
      });
    });
    if (IN_DENO) this.#exitByItself();
    // After the listeners are added, because adding them refs the thread.
    thread.unref();
  }

  /** Deno reports an exit at once but lets the thread run on, so the worker is told to end itself. */
  #exitByItself(): void {
    const { thread } = this;
    const terminate = thread.terminate.bind(thread);
    thread.terminate = async () => {
      // Before it has started, it neither uses the table nor reads messages.
      if (!this.hasStarted) return terminate();
      if (this.state !== EXITED) this.post(['exit']);
      await this.exited;
      return 1;
    };
  }

  ready(kernelThreadId: number, niceIncrement: number): void {
    this.state = READY;
    this.hasStarted = true;
    this.readyAt = now();
    codeCache.isWanted = !IN_DENO;
    if (kernelThreadId === 0 || niceIncrement === 0) return;
    try {
      setPriority(kernelThreadId, Math.min(19, getPriority(kernelThreadId) + niceIncrement));
    } catch {
      // The thread is gone, or the system refuses: tasks run at the usual priority.
    }
  }

  taskEnded(at: number): void {
    if (this.#endedAt !== undefined) this.pace += (Math.min(at - this.#endedAt, SLOW) - this.pace) / 8;
    this.#endedAt = at;
  }

  get running(): number {
    return runningNow(this.#table, this.index);
  }

  get claimed(): number {
    return Atomics.load(this.#table.words, this.#block + CLAIMED);
  }

  get hasNothing(): boolean {
    return hasNothing(this.#table, this.index);
  }

  get mailCount(): number {
    return mailCount(this.#table, this.index);
  }

  get hasMailRoom(): boolean {
    return this.mailCount < this.#table.layout.mailbox;
  }

  get runsAbortable(): boolean {
    return this.running > 0 && Atomics.load(this.#table.words, this.#block + ABORTABLE_NOW) !== 0;
  }

  get isAwake(): boolean {
    const state = Atomics.load(this.#table.words, this.gate);
    return state === AWAKE || state === WOKEN;
  }

  /** It was woken and has not looked for tasks yet. Not if it runs an asynchronous task, which may delay it for long. */
  get isComing(): boolean {
    // In this order: while its gate is WOKEN, it claims nothing.
    return this.hasNothing && isWoken(this.#table.words, this.gate);
  }

  wake(): boolean {
    if (!mustWake(this.#table.words, this.gate)) return false;
    Atomics.notify(this.#table.words, this.gate);
    return true;
  }

  post(value: message.Message, transfer: message.TransferList = []): void {
    this.#post.send(value, transfer);
    this.#lastMessage = this.nextMessage;
  }

  /** Posts a payload, which wakes the worker. Still call `wake` once the task is published: it may sleep again. */
  deliver(value: message.Message, transfer: message.TransferList): void {
    const { words } = this.#table;
    const owesWake = mustWake(words, this.gate);
    try {
      this.post(value, transfer);
    } catch (error) {
      if (owesWake) Atomics.notify(words, this.gate);
      throw error;
    }
  }

  get nextMessage(): number {
    return message.messageAfter(this.#lastMessage);
  }

  readMessages(): void {
    this.#post.readAll();
  }

  /** The payload of a result, posted before the result was reported. @throws why it could not be read */
  payload(slot: number, sequence: number): message.Payload {
    if (!this.#payloads.has(slot)) this.readMessages();
    const entry = this.#payloads.take(slot);
    if (entry?.sequence === sequence) return entry.payload;
    throw this.#losses.length > 0
      ? this.#losses.shift()
      : new Error('the worker has not sent what it reported');
  }

  get ring(): Memory {
    const count = Atomics.load(this.#table.words, this.#block + RINGS_MADE);
    if (count !== this.#ringsMade) this.readMessages();
    this.#ringsMade = count;
    return this.#ring as Memory;
  }

  #accept(received: message.Message): void {
    if (received[0] === 'payload') {
      if (received[1] < 0) {
        this.#payloads.take(this.#request);
        this.#request = received[1];
      }
      this.#payloads.set(received[1], { sequence: received[2], payload: received[3] });
    } else if (received[0] === 'results') this.#ring = received[1] && memoryOf(received[1]);
    else if (received[0] === 'shape') this.makers.add(received[1], received[2]);
    else if (received[0] === 'disposes') this.disposes = true;
    else if (received[0] === 'code') codeCache.code = received[1];
    else if (received[0] === 'heap') this.isOverHeap = true;
    else this.#events.onMessage(this, received);
  }
}
