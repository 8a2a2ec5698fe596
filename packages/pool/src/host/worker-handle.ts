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

/** Milliseconds: longer times between ends of tasks count as this. From there it takes 20 quick ends to be below 2, at first five. */
const SLOW = 30;
const UNKNOWN = 3;

export interface WorkerEvents {
  onWake(): void;
  /** What it tells the pool, not only this handle. */
  onMessage(worker: WorkerHandle, received: message.Message): void;
  emit(event: 'message', value: unknown): void;
  onExit(worker: WorkerHandle, exitCode: number): void;
}

// What a worker is doing. It only ever goes on in this order, and may leave some of them out.
export const STARTING = 0;
export const READY = 1;
/** It takes no more tasks, and ends itself when it has ended those that it has. */
export const RETIRING = 2;
/** The pool has ended it; its thread may not exit for long. */
export const STOPPING = 3;
export const EXITED = 4;

export const takesTasks = (worker: WorkerHandle): boolean => worker.state <= READY;
/** It has been ready, and nobody has stopped it. */
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
  /** Tasks of keys, and parts of broadcasts, that it has or that wait for it; those among them that need it to themselves. */
  pinned = 0;
  pinnedAlone = 0;
  keys = 0;
  openStreams = 0;
  /** Its files have something to do before it ends. */
  disposes = false;
  hasRetireMessage = false;
  isOverHeap = false;
  /** Takes its place once ready. */
  successor: WorkerHandle | undefined;
  /** How many tasks it had done when it could not be replaced. */
  postponedAt: number | undefined;
  failure: { error: unknown } | undefined;
  completed = 0;
  /** How many tasks it had done when the host began to watch what waits in its mailbox. */
  watchedAt = 0;
  /** Tasks that it runs, or that wait in its mailbox, and that other workers could have run. */
  mailed = 0;
  /** Those among them that share it with no other task. */
  mailedAlone = 0;
  /** That of the last task that had been submitted when the host looked at what this worker has ended. */
  lastNumber = 0;
  /** Milliseconds between the ends of tasks that transfer something, lately. */
  pace = UNKNOWN;
  #endedAt: number | undefined;
  readonly times: Times | undefined;
  /** When the host first saw it idle, by its clock, and how many tasks it had claimed then; undefined while it works. */
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
  /** The last request that was posted. Its worker may have given it up before the host has heard of it. */
  #request = -1;
  /** Why messages could not be read, oldest first: results come in the order in which they are reported. */
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
    // After the listeners, which take references of their own.
    thread.unref();
  }

  /** Deno says at once that a thread has exited, and lets it run on. So the worker ends itself when it hears that it shall. */
  #exitByItself(): void {
    const { thread } = this;
    const terminate = thread.terminate.bind(thread);
    thread.terminate = async () => {
      // Before that it has nothing to do with the table, and hears of no message.
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
      // A thread that is gone, or a system that does not let us: tasks run at the usual priority.
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

  /** It runs nothing, and nothing waits for it alone. */
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

  /** It was woken for what waits for all and has not looked for it yet. With an asynchronous task it may be long in coming. */
  get isComing(): boolean {
    // In this order: while its gate says so it takes nothing.
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

  /**
   * Posts what a task needs, which wakes the worker, too: it looks for tasks then. `wake`, once the task is published, is for one
   * that has looked before that and sleeps again.
   */
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

  /** Reads what it has posted without waiting for the event loop. */
  readMessages(): void {
    this.#post.readAll();
  }

  /** The payload that was posted for a result, before that was reported. @throws why it could not be read */
  payload(slot: number, sequence: number): message.Payload {
    if (!this.#payloads.has(slot)) this.readMessages();
    const entry = this.#payloads.take(slot);
    if (entry?.sequence === sequence) return entry.payload;
    throw this.#losses.length > 0
      ? this.#losses.shift()
      : new Error('the worker has not sent what it reported');
  }

  /** What the host reads next was written to. */
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
