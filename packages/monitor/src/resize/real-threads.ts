import { setTimeout as sleep } from 'node:timers/promises';
import { ResizeError } from '../errors.js';
import { MAX_THREADS } from '../options.js';
import type { Libuv } from './libuv.js';
import { Resizer } from './resizer.js';
import type { EngineState } from './state.js';

type Address = bigint;

/** The used part of `node:ffi`, which Node 26.9 introduced. */
interface Ffi {
  dlopen(
    path: null,
    functions: Record<string, { arguments: string[]; return: string }>,
  ): { lib: { getSymbol(name: string): Address }; functions: Calls };
  getUint64(address: Address, offset?: number): bigint;
  setUint64(address: Address, offset: number, value: bigint): void;
  getUint32(address: Address, offset?: number): number;
  setUint32(address: Address, offset: number, value: number): void;
}

interface Calls {
  uv_thread_create_ex(thread: Address, options: Address, entry: Address, argument: Address): number;
  uv_sem_init(semaphore: Address, value: number): number;
  uv_sem_wait(semaphore: Address): void;
  uv_queue_work(loop: Address, request: Address, work: Address, done: Address): number;
  pthread_tryjoin_np(thread: bigint, result: Address): number;
  calloc(count: bigint, bytes: bigint): Address;
  free(memory: Address): void;
}

const POINTER = 'pointer';
const FUNCTIONS = {
  uv_thread_create_ex: { arguments: [POINTER, POINTER, POINTER, POINTER], return: 'int32' },
  uv_sem_init: { arguments: [POINTER, 'uint32'], return: 'int32' },
  uv_sem_wait: { arguments: [POINTER], return: 'void' },
  uv_queue_work: { arguments: [POINTER, POINTER, POINTER, POINTER], return: 'int32' },
  pthread_tryjoin_np: { arguments: ['uint64', POINTER], return: 'int32' },
  calloc: { arguments: ['uint64', 'uint64'], return: POINTER },
  free: { arguments: [POINTER], return: 'void' },
} satisfies Record<keyof Calls, object>;

const HANDLE_BYTES = 8;
/** A timed-out shrink adds threads while others still have to end, so the pool may exceed libuv's limit. */
const HANDLES = 2 * MAX_THREADS;
/** `uv_thread_options_t`: the flag for the stack size, and the stack size that libuv gives its pool. */
const HAS_STACK_SIZE = 1;
const STACK_BYTES = 8n << 20n;
/** More bytes than a `uv_sem_t`, a `uv_work_t` or a `uv_loop_t` has. */
const ROOM = 256n;
const LOOP_ROOM = 4096n;
const POLL_MS = 1;

/** A later libuv may pass other arguments to its thread function. */
function isKnown(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 1 && minor <= 52;
}

/** Resizes the pool by starting and ending threads, which run libuv's pool function, with `node:ffi`. */
export class RealThreads extends Resizer {
  readonly #ffi: Ffi;
  readonly #calls: Calls;
  readonly #exit: Address;
  readonly #nthreads: Address;
  readonly #threads: Address;
  readonly #worker: Address;
  readonly #array: Address;
  readonly #semaphore: Address;
  readonly #options: Address;
  /**
   * Zeros instead of an event loop: a thread that ends inside a job never reports. The engine's loop would
   * count the jobs, and abort the process if the engine ends before they do.
   */
  readonly #loop: Address;
  /** Jobs that end threads, until those threads have been joined. */
  readonly #ending: Address[] = [];
  #ended = 0;

  /** @throws if Node has no `node:ffi`, or does not allow it */
  constructor(state: EngineState, { symbols }: Libuv) {
    super(state);
    if (!isKnown(process.versions.uv))
      throw new Error(`libuv ${process.versions.uv} is newer than the versions tested here`);
    const ffi = process.getBuiltinModule('node:ffi') as Ffi | undefined;
    if (ffi === undefined) throw new Error('this Node has no node:ffi');
    const { lib, functions } = ffi.dlopen(null, FUNCTIONS);
    this.#ffi = ffi;
    this.#calls = functions;
    this.#exit = lib.getSymbol('pthread_exit');
    this.#nthreads = BigInt(symbols.nthreads);
    this.#threads = BigInt(symbols.threads);
    this.#worker = BigInt(symbols.worker);
    this.#array = functions.calloc(BigInt(HANDLES), BigInt(HANDLE_BYTES));
    this.#semaphore = functions.calloc(1n, ROOM);
    functions.uv_sem_init(this.#semaphore, 0);
    this.#options = functions.calloc(1n, ROOM);
    ffi.setUint32(this.#options, 0, HAS_STACK_SIZE);
    ffi.setUint64(this.#options, 8, STACK_BYTES);
    this.#loop = functions.calloc(1n, LOOP_ROOM);
    state.limitsSlow = true;
  }

  protected override async add(threads: number): Promise<void> {
    let made = 0;
    this.state.change(() => {
      made = this.#make(threads);
    });
    if (made === threads || this.state.isClosed) return;
    this.remove(made);
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESIZE_LIMIT',
      `the system allowed only ${made} of ${threads} new threads (ulimit -u, pids.max, memory); they end again`,
    );
  }

  /** At exit, libuv frees the array of handles, unless it is its static array of four. */
  #make(threads: number): number {
    const size = this.#size;
    const old = this.#ffi.getUint64(this.#threads);
    for (let index = 0; old !== this.#array && index < size; index++)
      this.#ffi.setUint64(this.#array, index * HANDLE_BYTES, this.#ffi.getUint64(old, index * HANDLE_BYTES));
    this.#ffi.setUint64(this.#threads, 0, this.#array);
    let made = 0;
    for (; made < threads; made++) {
      const handle = this.#array + BigInt((size + made) * HANDLE_BYTES);
      if (this.#calls.uv_thread_create_ex(handle, this.#options, this.#worker, this.#semaphore) !== 0) break;
    }
    for (let count = 0; count < made; count++) this.#calls.uv_sem_wait(this.#semaphore);
    this.#size = size + made;
    return made;
  }

  protected override remove(threads: number): void {
    for (let count = 0; count < threads; count++) {
      const request = this.#calls.calloc(1n, ROOM);
      this.#ending.push(request);
      this.#calls.uv_queue_work(this.#loop, request, this.#exit, 0n);
    }
  }

  protected override async settle(): Promise<void> {
    this.state.change(() => this.#join());
    while (this.#ended < this.#ending.length) {
      await sleep(POLL_MS);
      this.state.change(() => this.#join());
    }
    for (const request of this.#ending.splice(0)) this.#calls.free(request);
    this.#ended = 0;
  }

  #join(): void {
    const size = this.#size;
    const array = this.#ffi.getUint64(this.#threads);
    let left = 0;
    for (let index = 0; index < size; index++) {
      const handle = this.#ffi.getUint64(array, index * HANDLE_BYTES);
      if (this.#calls.pthread_tryjoin_np(handle, 0n) !== 0)
        this.#ffi.setUint64(array, left++ * HANDLE_BYTES, handle);
    }
    this.#ended += size - left;
    this.#size = left;
  }

  get #size(): number {
    return this.#ffi.getUint32(this.#nthreads);
  }

  set #size(size: number) {
    this.#ffi.setUint32(this.#nthreads, 0, size);
    this.state.real = size;
  }
}
