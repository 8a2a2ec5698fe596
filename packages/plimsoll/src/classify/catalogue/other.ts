import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Entry } from './entry.js';

const KERNEL_PROCESS =
  'The new process runs by itself; the kernel tells the event loop when it ends or writes.';

/** The smallest module there is: magic number and version. */
const WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

export const otherEntries: readonly Entry[] = [
  {
    name: 'child_process.spawn',
    call: 'child_process.spawn(command)',
    run: () => once(spawn('true', { stdio: 'ignore' }), 'exit'),
    why: { kernel: KERNEL_PROCESS },
  },
  {
    name: 'child_process.execFile',
    call: 'child_process.execFile(command, callback)',
    run: () => promisify(execFile)('true'),
    why: { kernel: KERNEL_PROCESS },
  },
  {
    name: 'child_process.fork',
    call: 'child_process.fork(module)',
    run: ({ path }) => {
      const module = `${path()}.cjs`;
      fs.writeFileSync(module, "process.send('here'); process.disconnect();");
      return once(fork(module, { stdio: 'ignore', execArgv: [] }), 'message');
    },
    why: { kernel: KERNEL_PROCESS },
  },
  {
    name: 'setTimeout',
    call: 'setTimeout(callback, ms)',
    run: () => new Promise((resolve) => setTimeout(resolve, 5)),
    why: {
      kernel: 'The event loop gives the kernel the time of the next timer as the longest that it will wait.',
    },
  },
  {
    name: 'setImmediate',
    call: 'setImmediate(callback)',
    run: () => new Promise((resolve) => setImmediate(resolve)),
    why: { kernel: 'It waits for nothing but the next turn of the event loop.' },
  },
  {
    name: 'import',
    call: 'import(module)',
    run: ({ path }) => {
      const module = `${path()}.mjs`;
      fs.writeFileSync(module, 'export default 1;');
      return import(pathToFileURL(module).href);
    },
    why: {
      pool: 'The loader of this version reads the file asynchronously.',
      'main thread': 'The loader of this version reads the file synchronously.',
      kernel:
        'The loader of this version reads the file synchronously, and then takes some turns of the event loop.',
    },
  },
  {
    name: 'WebAssembly.compile',
    call: 'WebAssembly.compile(bytes)',
    run: () =>
      (globalThis as unknown as { WebAssembly: { compile(code: Uint8Array): unknown } }).WebAssembly.compile(
        WASM,
      ),
    why: { kernel: 'V8 compiles on threads of its own, which UV_THREADPOOL_SIZE does not touch.' },
  },
  {
    name: 'Worker',
    call: 'new Worker(file)',
    run: async () => {
      const worker = new Worker("require('node:worker_threads').parentPort.postMessage(0)", { eval: true });
      await once(worker, 'message');
      await worker.terminate();
    },
    why: {
      kernel:
        'A Worker is a thread of its own, outside the pool; what it does with fs or crypto shares the pool.',
    },
  },
  {
    name: 'MessagePort',
    call: 'port.postMessage(value)',
    run: async () => {
      const { port1, port2 } = new MessageChannel();
      const message = once(port2, 'message');
      port1.postMessage('plimsoll');
      await message;
      port1.close();
    },
    why: { kernel: 'A message wakes the event loop of the other side; no thread waits for it.' },
  },
  {
    name: 'Blob.text',
    call: 'blob.text(), in memory',
    run: () => new Blob(['plimsoll']).text(),
    why: { kernel: 'The bytes are in memory: it takes turns of the event loop, nothing else.' },
  },
  {
    name: 'nextTick',
    call: 'process.nextTick(callback)',
    run: () => new Promise<void>((resolve) => process.nextTick(resolve)),
    why: { 'main thread': 'Its callback runs before the event loop goes on.' },
  },
];
