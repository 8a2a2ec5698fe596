import type { MessagePort, Transferable } from 'node:worker_threads';
import type { Source } from './clock.js';
import type { Thrown } from './error-record.js';
import type { Layout } from './layout.js';

export interface Handler {
  readonly filename: string;
  readonly name: string;
  /** Bits of `calls.ts`. */
  readonly call: number;
}

/**
 * For rare things. A side that finds an unknown handler, chunk, shape or payload in the table reads its port
 * synchronously: the message is always posted before the slot that needs it is published.
 */
export type Message =
  | [what: 'handler', id: number, handler: Handler]
  /** A chunk of the arena; undefined: it is gone. */
  | [what: 'arena', index: number, buffer: SharedArrayBuffer | undefined]
  /** A value that does not go through the table; either direction. */
  | [what: 'payload', slot: number, sequence: number, payload: Payload]
  /** The host has taken a task back: the worker posts its payload back. */
  | [what: 'return', slot: number, sequence: number]
  /** The payload is undefined if the worker does not have it, or cannot post it. */
  | [what: 'returned', sequence: number, payload: Payload | undefined]
  /** The worker's result ring; undefined: it is gone. */
  | [what: 'results', buffer: SharedArrayBuffer | undefined]
  | [what: 'ready', kernelThreadId: number]
  | [what: 'code', code: Uint8Array]
  /** The number of a shape, which the sender's encoder uses from now on. */
  | [what: 'shape', number: number, names: readonly string[]]
  /** The worker must exit. */
  | [what: 'exit']
  /** The task must end. Posted before its slot is marked as asked. */
  | [what: 'abort', slot: number, sequence: number, reason: Thrown]
  /** The worker starts the task whose `Packed` has this number. */
  | [what: 'started', number: number, time: number]
  /** A file of the worker has a `dispose` hook. */
  | [what: 'disposes']
  /** The worker must claim no more shared tasks, finish its tasks, and exit. */
  | [what: 'retire']
  /** The worker's heap exceeds `maxHeapMb`. */
  | [what: 'heap']
  /** The worker has retired. Tasks may be waiting for which the host has woken only this worker. */
  | [what: 'leaves']
  /** No task uses these handlers, now or later. */
  | [what: 'forget', ids: readonly number[]]
  /** A task calls the host. The `HostRequest` was posted just before, as the payload of slot `~call`. */
  | [what: 'call', call: number, slot: number, sequence: number]
  /** The answer, or a Thrown, was posted just before, as message `number` and the payload of slot `~call`. */
  | [what: 'answer', call: number, failed: boolean, number: number];

export interface Payload {
  readonly value?: unknown;
  readonly words?: Int32Array;
  readonly externals?: ArrayBuffer[];
  readonly encodingFlags?: number;
  /** The transferred buffers: `codec/young.ts` counts them. */
  readonly buffers?: readonly ArrayBuffer[] | undefined;
  /** The transferred objects, if the value may have to come back. */
  readonly transfer?: TransferList | undefined;
  /** The host could not post the value; the task has ended already. */
  readonly cancelled?: boolean;
  /** Why the payload could not be read. Never posted. */
  readonly unreadable?: { readonly reason: unknown };
}

/**
 * The host numbers its messages, and notes in OFFSET which message has a slot's payload (0: none yet). So the
 * worker knows which payload was lost if it cannot read a message.
 */
export const messageAfter = (number: number): number => (number + 1) | 0 || 1;

/** Ports of one end of a `Post`, transferred in the first message. */
export interface PostPorts {
  readonly port: MessagePort;
  /** See `newPost`. */
  readonly bell: MessagePort | undefined;
}

/** Names of exported hooks. */
export interface LifecycleHooks {
  readonly setup?: string | undefined;
  readonly dispose?: string | undefined;
}

export interface Boot {
  readonly entry: string;
  /** V8's code cache of `entry`, if a thread has made one. */
  readonly code: Uint8Array | undefined;
  readonly isCodeWanted: boolean;
}

export interface Startup extends PostPorts {
  readonly layout: Layout;
  readonly table: SharedArrayBuffer;
  readonly arenas: readonly (SharedArrayBuffer | undefined)[];
  readonly handlers: ReadonlyMap<number, Handler>;
  /** Keys, by number of the shape. */
  readonly shapes: readonly (readonly string[])[];
  readonly index: number;
  readonly preload: number;
  readonly concurrency: number;
  readonly times: SharedArrayBuffer | undefined;
  /** Memory for the steps of tasks, if they are recorded. */
  readonly marks: Float64Array | undefined;
  readonly lifecycle: LifecycleHooks;
  /** Milliseconds that `dispose` hooks may take. */
  readonly patience: number;
  /** From 1 on, for worker files written for tinypool. */
  readonly number: number | undefined;
  /** Megabytes of heap above which the worker tells the host. */
  readonly maxHeapMb: number | undefined;
  readonly maxValueBytes: number;
  readonly clock: Source;
  /** Report the thread's id in the kernel, so that the host can set its priority. */
  readonly nice: boolean;
  /** Milliseconds per host call. */
  readonly hostTimeout: number;
}

/** Bits of a slot's FLAGS word. First, where its words are: */
export const IN_SLOT = 0;
export const IN_ARENA = 1;
export const IN_PORT = 2;
export const PLACE_MASK = 3;
/** The task is for one worker only, which alternates between such tasks and shared tasks. */
export const PINNED = 1 << 2;
export const FAILED = 1 << 3;
/** The task may be killed, so it shares its worker with no other task. */
export const ABORTABLE = 1 << 4;
/** The encoding flags start at this bit. */
export const ENCODING_FLAGS = 5;

export type TransferList = readonly Transferable[];
