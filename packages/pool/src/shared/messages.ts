import type { MessagePort, Transferable } from 'node:worker_threads';
import type { Source } from './clock.js';
import type { Thrown } from './error-record.js';
import type { Layout } from './layout.js';

/** What tasks call by its number. */
export interface Handler {
  readonly filename: string;
  readonly name: string;
  /** How it is called: bits of `calls.ts`. */
  readonly call: number;
}

/**
 * What travels on a worker's port: rare things. Whoever meets an unknown handler, arena, shape or payload in the table reads its
 * port synchronously: such a message is always posted before the slot that needs it is published.
 */
export type Message =
  | [what: 'handler', id: number, handler: Handler]
  /** Memory for tasks that do not fit into a slot; undefined: it is gone. */
  | [what: 'arena', index: number, buffer: SharedArrayBuffer | undefined]
  /** What does not go through the table, in either direction. */
  | [what: 'payload', slot: number, sequence: number, payload: Payload]
  /** The worker shall post a payload back: the host has taken its task out of the table again. */
  | [what: 'return', slot: number, sequence: number]
  /** undefined: the worker has not got it, or cannot post it. */
  | [what: 'returned', sequence: number, payload: Payload | undefined]
  /** The worker's ring for results that do not fit into a slot; undefined: it is gone. */
  | [what: 'results', buffer: SharedArrayBuffer | undefined]
  | [what: 'ready', kernelThreadId: number]
  /** V8's code of the worker's entry. */
  | [what: 'code', code: Uint8Array]
  /** How the sender's encoder calls objects with these keys from now on. */
  | [what: 'shape', number: number, names: readonly string[]]
  /** The worker shall end itself. */
  | [what: 'exit']
  /** The task shall end. Posted before its slot is marked as asked. */
  | [what: 'abort', slot: number, sequence: number, reason: Thrown]
  /** The worker begins with a task whose `Packed` has that number. */
  | [what: 'started', number: number, time: number]
  /** Before the worker ends, its files have something to do. */
  | [what: 'disposes']
  /** The worker shall take no more tasks, end those that it has, and then end itself. */
  | [what: 'retire']
  /** The worker's heap is larger than it shall be. */
  | [what: 'heap']
  /** The worker has retired. What waits is for others, of whom the host may have woken none because of this one. */
  | [what: 'leaves']
  /** No task has these handlers, and none will. */
  | [what: 'forget', ids: readonly number[]]
  /** A task calls the host: a `HostRequest` that was posted right before, as the payload of slot `~call`. */
  | [what: 'call', call: number, slot: number, sequence: number]
  /** What the call gave, or a Thrown: it was posted right before, as message `number` and the payload of slot `~call`. */
  | [what: 'answer', call: number, failed: boolean, number: number];

/** A value by structured clone, or encoded words and the buffers that belong to them. */
export interface Payload {
  readonly value?: unknown;
  readonly words?: Int32Array;
  readonly externals?: ArrayBuffer[];
  readonly encodingFlags?: number;
  /** Bytes of buffers that are transferred as parts of the value. */
  readonly moved?: number | undefined;
  /** The parts that were transferred, of a value that may have to come back. */
  readonly transfer?: TransferList | undefined;
  /** The host could not post the value: the task is over already. */
  readonly cancelled?: boolean;
  /** Never posted: why the payload could not be read. */
  readonly unreadable?: { readonly reason: unknown };
}

/**
 * The host numbers what it posts to a worker, and notes in the slot's OFFSET word which message has the payload: so the worker
 * knows what it has lost when it cannot read a message. 0: not posted yet.
 */
export const messageAfter = (number: number): number => (number + 1) | 0 || 1;

/** What one end of a `Post` is made of. Ports are transferred, so the other side gets them in its first message. */
export interface PostPorts {
  readonly port: MessagePort;
  /** Rings after each message on a port that must have no listener. */
  readonly bell: MessagePort | undefined;
}

/** The names of the functions of worker files that are called before their first task and before the worker ends. */
export interface LifecycleHooks {
  readonly setup?: string | undefined;
  readonly dispose?: string | undefined;
}

/** The first message that a thread gets. */
export interface Boot {
  /** The text of `entry.ts`. */
  readonly entry: string;
  /** V8's code of it, if a thread has made that. */
  readonly code: Uint8Array | undefined;
  readonly isCodeWanted: boolean;
}

/** The second one: what a worker needs. */
export interface Startup extends PostPorts {
  readonly layout: Layout;
  readonly table: SharedArrayBuffer;
  readonly arenas: readonly (SharedArrayBuffer | undefined)[];
  readonly handlers: ReadonlyMap<number, Handler>;
  /** Their names by number. */
  readonly shapes: readonly (readonly string[])[];
  readonly index: number;
  readonly preload: number;
  readonly concurrency: number;
  /** Where to note the times of tasks, if at all. */
  readonly times: SharedArrayBuffer | undefined;
  /** Where to note every step of tasks, if at all. */
  readonly marks: Float64Array | undefined;
  readonly lifecycle: LifecycleHooks;
  /** Milliseconds that what a file does before its worker ends may take. */
  readonly patience: number;
  /** From 1 on, for worker files written for tinypool. */
  readonly number: number | undefined;
  /** Megabytes of heap from which on the host shall hear of it. */
  readonly maxHeapMb: number | undefined;
  readonly maxValueBytes: number;
  /** Whose times the host notes. */
  readonly clock: Source;
  /** Report the kernel's id of the thread, so that the host can change its priority. */
  readonly nice: boolean;
  /** Milliseconds that a function of the host may take. */
  readonly hostTimeout: number;
}

/** Bits of a slot's FLAGS word. Where the words are: */
export const IN_SLOT = 0;
export const IN_ARENA = 1;
export const IN_PORT = 2;
export const PLACE_MASK = 3;
/** The task is for its worker alone: that takes such ones and others by turns. */
export const PINNED = 1 << 2;
/** The slot holds an error instead of a result. */
export const FAILED = 1 << 3;
/** The task may be killed, so it never shares a worker with another one. */
export const ABORTABLE = 1 << 4;
/** From this bit on: the encoding flags. */
export const ENCODING_FLAGS = 5;

export type TransferList = readonly Transferable[];
