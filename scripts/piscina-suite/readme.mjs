import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOut } from './package.mjs';

/** @typedef {{ main: string, worker: string }} Program */
/** @typedef {(theirs: string, ours: string, program: Program) => Promise<{ wanted: string, got: string, isSame: boolean }>} Compare */

/** A program that has not ended by then never does: one of them keeps a channel open. */
const LIMIT = 8000;

/** What can be run of the README: which of its blocks of JavaScript are the program and the worker. */
/** @type {Record<string, [number, number]>} */
const PROGRAMS = {
  'a first task': [1, 2],
  'an asynchronous worker': [1, 3],
  'ES modules': [4, 5],
  'several functions in one worker file': [7, 6],
  'an AbortController': [8, 2],
  'an EventEmitter as a signal': [9, 2],
  'code that outlives its task': [1, 12],
  'a BroadcastChannel': [13, 14],
  'move()': [1, 17],
  FixedQueue: [19, 2],
};

/** A program that fails with Piscina would show nothing. */
const FAILED = /^exit code [1-9]/m;

/** Runs the programs of the README, unchanged, on Piscina and on the drop-in. @returns the names of those that differ */
export async function runReadme() {
  const [theirs, ours] = ['piscina', 'drop-in'].map(layOut);
  const text = readFileSync(join(theirs, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  const different = [];
  for (const [name, [main, worker]] of Object.entries(PROGRAMS)) {
    const program = { main: blocks[main - 1], worker: blocks[worker - 1] };
    const { wanted, got, isSame } = await compareSteadily(theirs, ours, program);
    console.log(`README, ${name}: ${isSame ? 'the same as Piscina' : `\n${got}  instead of\n${wanted}`}`);
    if (!isSame) different.push(name);
  }
  return different;
}

/** Some of the programs count on times: a difference is looked at a second time. @type {Compare} */
async function compareSteadily(theirs, ours, program) {
  const first = await compare(theirs, ours, program);
  return first.isSame ? first : compare(theirs, ours, program);
}

/** @type {Compare} */
async function compare(theirs, ours, program) {
  const wanted = await run(join(theirs, 'readme'), program);
  const got = await run(join(ours, 'readme'), program);
  return { wanted, got, isSame: got === wanted && !FAILED.test(wanted) };
}

/** What it prints, in whatever order, and how it ends. @type {(directory: string, program: Program) => Promise<string>} */
async function run(directory, { main, worker }) {
  const extension = /^import /m.test(main) ? 'mjs' : 'js';
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  writeFileSync(join(directory, `main.${extension}`), main);
  writeFileSync(join(directory, `worker.${extension}`), worker);
  const child = spawn(process.execPath, [`main.${extension}`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const lines = said.replaceAll(directory, '.').split('\n').sort().join('\n');
  return `${lines}\n${signal === null ? `exit code ${code}` : 'does not end'}\n`;
}
