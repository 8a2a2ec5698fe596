import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { PreparedOperation } from '../operation-spec.js';

interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

/** One byte more than a pipe holds (pipe(7): 65,536 unless somebody asks for more). */
const BYTES = 65_537;
const GROWTH = 64;
const POLL_MS = 1;

/**
 * An operation that holds a pool thread for `ms` (and a poll of 1 ms) from the moment it gets one, and uses no CPU: a
 * write of more bytes than a pipe takes ends when somebody reads. A Worker polls the pipe of the operation that is next
 * in line; when its first byte is there the operation has begun, and `ms` later the Worker drains the pipe.
 *
 * The pool starts jobs in the order of their submission (threadpool.c), so the Worker knows which begins next. A pipe
 * is used again only when the Worker has read all of it.
 */
export async function prepareSleep(ms: number, directory: string): Promise<PreparedOperation> {
  const drain = new Worker(DRAIN, { eval: true, workerData: { ms, bytes: BYTES, pollMs: POLL_MS } });
  drain.unref();
  const pipes = new Map<number, Pipe>();
  const free: Pipe[] = [];
  drain.on('message', (reader: number) => free.push(pipes.get(reader) as Pipe));

  let growing: Promise<void> | null = null;
  async function grow(): Promise<void> {
    const paths = Array.from({ length: GROWTH }, (_, index) => join(directory, `pipe-${pipes.size + index}`));
    await promisify(execFile)('mkfifo', paths);
    for (const path of paths) {
      // A FIFO opens for writing only when it has a reader; its reader must not block, or it could not poll.
      const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const pipe = { reader, writer: openSync(path, constants.O_WRONLY) };
      pipes.set(reader, pipe);
      free.push(pipe);
    }
    growing = null;
  }

  await grow();
  return {
    async run() {
      while (free.length === 0) {
        growing ??= grow();
        await growing;
      }
      const { reader, writer } = free.pop() as Pipe;
      drain.postMessage(reader);
      await fill(writer);
    },
    async close() {
      await drain.terminate();
      for (const { reader, writer } of pipes.values()) {
        closeSync(reader);
        closeSync(writer);
      }
    },
  };
}

const content = Buffer.alloc(BYTES);
const writeToPipe = promisify(write) as (fd: number, buffer: Buffer) => Promise<unknown>;
const fill = (writer: number): Promise<unknown> => writeToPipe(writer, content);

const DRAIN = `
const { parentPort, workerData: { ms, bytes, pollMs } } = require('node:worker_threads');
const { readSync } = require('node:fs');
const buffer = Buffer.alloc(bytes);
const waiting = [], running = [], draining = [];
let timer = null;

function read(reader, most) {
  try { return readSync(reader, buffer, 0, most); }
  catch (error) { if (error.code === 'EAGAIN') return 0; throw error; }
}

function poll() {
  while (waiting.length > 0 && read(waiting[0], 1) === 1)
    running.push({ reader: waiting.shift(), due: performance.now() + ms, left: bytes - 1 });
  while (running.length > 0 && running[0].due <= performance.now()) draining.push(running.shift());
  for (let index = draining.length - 1; index >= 0; index--) {
    const pipe = draining[index];
    for (let got = -1; got !== 0 && pipe.left > 0; pipe.left -= got) got = read(pipe.reader, pipe.left);
    if (pipe.left > 0) continue;
    draining.splice(index, 1);
    parentPort.postMessage(pipe.reader);
  }
  if (waiting.length + running.length + draining.length === 0) { clearInterval(timer); timer = null; }
}

parentPort.on('message', (reader) => {
  waiting.push(reader);
  timer ??= setInterval(poll, pollMs);
});
`;
