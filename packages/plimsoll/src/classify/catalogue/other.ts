import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import { type Entry, entries } from './entry.js';

const PROCESS = {
  kernel: 'The new process runs by itself; the kernel tells the event loop when it ends or writes.',
};

/** The smallest module there is: magic number and version. */
const WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const wasm = (globalThis as unknown as { WebAssembly: { compile(code: Uint8Array): unknown } }).WebAssembly;

export const otherEntries: readonly Entry[] = entries('', PROCESS, {
  'child_process.spawn(command)': () => once(spawn('true', { stdio: 'ignore' }), 'exit'),
  'child_process.execFile(command, callback)': () => promisify(execFile)('true'),
  'child_process.fork(module)'({ path }) {
    const module = `${path()}.cjs`;
    fs.writeFileSync(module, "process.send('here'); process.disconnect();");
    return once(fork(module, { stdio: 'ignore', execArgv: [] }), 'message');
  },
  'setTimeout(callback, ms)': {
    run: () => new Promise((resolve) => setTimeout(resolve, 5)),
    why: {
      kernel: 'The event loop gives the kernel the time of the next timer as the longest that it will wait.',
    },
  },
  'setImmediate(callback)': {
    run: () => new Promise((resolve) => setImmediate(resolve)),
    why: { kernel: 'It waits for nothing but the next turn of the event loop.' },
  },
  'import(module)': {
    run({ path }) {
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
  'WebAssembly.compile(bytes)': {
    run: () => wasm.compile(WASM),
    why: { kernel: 'V8 compiles on threads of its own, which UV_THREADPOOL_SIZE does not touch.' },
  },
  'new Worker(file)': {
    name: 'Worker',
    async run() {
      const worker = new Worker("require('node:worker_threads').parentPort.postMessage(0)", {
        eval: true,
      });
      await once(worker, 'message');
      await worker.terminate();
    },
    why: {
      kernel:
        'A Worker is a thread of its own, outside the pool; what it does with fs or crypto shares the pool.',
    },
  },
  'port.postMessage(value)': {
    name: 'MessagePort',
    async run() {
      const { port1, port2 } = new MessageChannel();
      const message = once(port2, 'message');
      port1.postMessage('plimsoll');
      await message;
      port1.close();
    },
    why: { kernel: 'A message wakes the event loop of the other side; no thread waits for it.' },
  },
  'blob.text(), in memory': {
    name: 'Blob.text',
    run: () => new Blob(['plimsoll']).text(),
    why: { kernel: 'The bytes are in memory: it takes turns of the event loop, nothing else.' },
  },
  'process.nextTick(callback)': {
    name: 'nextTick',
    run: () => new Promise<void>((resolve) => process.nextTick(resolve)),
    why: { 'main thread': 'Its callback runs before the event loop goes on.' },
  },
});
