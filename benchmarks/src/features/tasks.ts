// What workers of every pool run. Each takes one value.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isMainThread, threadId } from 'node:worker_threads';
import { block, eventsOf, isOpen, log } from './log.js';
import { pause } from './time.js';

/** Beats, 20 ms each: an end of what nobody ends. */
const BEATS = 250;
const BEAT_MS = 20;

export const storage = new AsyncLocalStorage<unknown>();
const hoard: unknown[] = [];

export const where = (): number => threadId;
export const onMainThread = (): boolean => isMainThread;
export const store = (): unknown => storage.getStore();

/** @returns the thread that ran it. */
export function mark(label: string): number {
  log(`ran ${label}`);
  return threadId;
}

/** Holds its worker as long as the others are held. */
export function holdAll(): void {
  log('began busy');
  while (!isOpen('busy')) block(5);
}

/** Takes its time, so that others go to other workers. */
export function markKey({ key }: { key: string }): number {
  block(40);
  return mark(key);
}

/** Waits a little, so that another worker takes the next one. */
export async function markEach(_: unknown): Promise<number> {
  await pause(50);
  return mark('everywhere');
}

/** Blocks its thread until a gate is open. */
export function hold(label: string): number {
  log(`began ${label}`);
  while (!isOpen(label)) block(5);
  log(`ran ${label}`);
  return threadId;
}

/** Occupies its worker until a gate is open, without blocking the thread. */
export async function linger(label: string): Promise<number> {
  log(`began ${label}`);
  while (!isOpen(label)) await pause(5);
  log(`ran ${label}`);
  return threadId;
}

/** A loop that blocks its thread, and tells that it still runs. */
export function beat(label: string): number {
  log(`began ${label}`);
  for (let beats = 0; beats < BEATS; beats++) {
    block(BEAT_MS);
    log(`beat ${label}`);
  }
  return threadId;
}

/** The same without blocking. */
export async function pace(label: string): Promise<number> {
  log(`began ${label}`);
  for (let beats = 0; beats < BEATS; beats++) {
    await pause(BEAT_MS);
    log(`beat ${label}`);
  }
  return threadId;
}

/** Ends its thread the first `times` times that it runs. */
export function mortal({ label, times }: { label: string; times: number }): number {
  log(`ran ${label}`);
  const runs = eventsOf(`ran ${label}`).length;
  if (runs <= times) process.exit(1);
  return runs;
}

/** Keeps memory for ever. */
export function grow(megabytes: number): number {
  for (let index = 0; index < megabytes; index++) hoard.push(new Array(131_072).fill(index));
  return threadId;
}

/** What a function can learn of its call. */
export function received(this: unknown, ...args: unknown[]): { args: number; signals: number } {
  const signals = [...args, this].filter((value) => holdsSignal(value)).length;
  return { args: args.length, signals };
}

const holdsSignal = (value: unknown): boolean =>
  value instanceof AbortSignal ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((part) => part instanceof AbortSignal));

/** What a library exports inside a worker whose name tells of aborting. */
export async function abortNames(library: string): Promise<string[]> {
  const exported = (await import(library)) as Record<string, unknown>;
  const names = Object.values(exported).flatMap((value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'
      ? Object.getOwnPropertyNames(value)
      : [],
  );
  return [...Object.keys(exported), ...names].filter((name) => /abort|cancel/i.test(name));
}

export function* numbers(count: number): Generator<number> {
  try {
    for (let number = 0; number < count; number++) {
      log('made');
      yield number;
    }
  } finally {
    log('generator ended');
  }
}

/** The same as a stream, which can be transferred. */
export const readable = (count: number): ReadableStream<number> => {
  const source = numbers(count);
  return new ReadableStream({
    async pull(controller) {
      // In a turn of its own, so that a consumer has its say.
      await pause(0);
      const { done, value } = source.next();
      if (done) controller.close();
      else controller.enqueue(value as number);
    },
    cancel() {
      source.return(undefined);
    },
  });
};

export async function sum(source: AsyncIterable<number>): Promise<number> {
  let total = 0;
  for await (const number of source) total += number;
  return total;
}

export async function firstOf(source: AsyncIterable<number>): Promise<number> {
  for await (const number of source) return number;
  throw new Error('there was no item');
}

/** Long enough for another worker to take the next task. */
export function nap(label: string): number {
  block(100);
  log(`ran ${label}`);
  return threadId;
}
