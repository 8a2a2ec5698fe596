import childProcess from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import { calls, type Entry } from './entry.js';

const PROCESS = {
  kernel: 'The new process runs independently; the kernel tells the event loop when it writes or ends.',
};

/** The smallest module there is: magic number and version. */
const WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const wasm = (globalThis as unknown as { WebAssembly: { compile(code: Uint8Array): unknown } }).WebAssembly;

export const otherEntries: readonly Entry[] = calls('', PROCESS, {
  'child_process.spawn(command)': () => once(childProcess.spawn('true', { stdio: 'ignore' }), 'exit'),
  'child_process.execFile(command, callback)': () => promisify(childProcess.execFile)('true'),
  'child_process.fork(module)'({ path }) {
    const module = `${path()}.cjs`;
    fs.writeFileSync(module, "process.send('here'); process.disconnect();");
    return once(childProcess.fork(module, { stdio: 'ignore', execArgv: [] }), 'message');
  },
  'setTimeout(callback, ms)': {
    run: () => new Promise((resolve) => setTimeout(resolve, 5)),
    why: { kernel: 'The event loop waits in the kernel at most until the next timer is due.' },
  },
  'setImmediate(callback)': {
    run: () => new Promise((resolve) => setImmediate(resolve)),
    why: { kernel: 'It waits only for the next turn of the event loop.' },
  },
  'import(module)': {
    run({ path }) {
      const module = `${path()}.mjs`;
      fs.writeFileSync(module, 'export default 1;');
      return import(pathToFileURL(module).href);
    },
    why: {
      pool: 'The loader of this Node version reads the file asynchronously.',
      'main thread': 'The loader of this Node version reads the file synchronously.',
      kernel:
        'The loader of this Node version reads the file synchronously, then takes a few event-loop turns.',
    },
  },
  'WebAssembly.compile(bytes)': {
    run: () => wasm.compile(WASM),
    why: { kernel: 'V8 compiles on its own threads, which UV_THREADPOOL_SIZE does not affect.' },
  },
  'new Worker(file)': {
    name: 'Worker',
    async run() {
      const source = "require('node:worker_threads').parentPort.postMessage(0)";
      const worker = new Worker(source, { eval: true });
      await once(worker, 'message');
      await worker.terminate();
    },
    why: {
      kernel:
        'A Worker has its own thread outside the pool; its fs and crypto calls share the process’s pool.',
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
    why: { kernel: 'A message wakes the receiving event loop; no thread waits for it.' },
  },
  'blob.text(), in memory': {
    name: 'Blob.text',
    run: () => new Blob(['plimsoll']).text(),
    why: { kernel: 'The bytes are in memory, so it only takes event-loop turns.' },
  },
  'process.nextTick(callback)': {
    name: 'nextTick',
    run: () => new Promise<void>((resolve) => process.nextTick(resolve)),
    why: { 'main thread': 'Node runs the callback before the event loop continues.' },
  },
});
