import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './run.mjs';
import { lanes, mayBeSkipped } from './test-files.mjs';

/** @typedef {{ name: string, file: string, seconds: number, skip?: string | boolean, error?: string }} Entry */

const NAMED = 10;
/** Node 20 reads these certificates whenever it starts, which more than doubles that time. Only `npm()` needs them. */
const { NODE_EXTRA_CA_CERTS: PLIMSOLL_EXTRA_CA_CERTS, ...OTHERS } = process.env;
const TEST_ENV = { PLIMSOLL_EXTRA_CA_CERTS, ...OTHERS };

/**
 * Run test files, say what was skipped and which files were the slowest; ends the process when a test fails.
 *
 * @param {string} node the binary
 * @param {number} line of that binary
 * @param {readonly string[]} files
 * @param {boolean} noSkips ends the process with 1 when a test was skipped that `mayBeSkipped` does not list
 */
export async function runTests(node, line, files, noSkips) {
  const ran = (
    await Promise.all(lanes(files).map((stages, index) => runLane(node, stages, index === 0)))
  ).flat();
  for (const { text } of ran) process.stdout.write(text);
  const entries = ran.flatMap((stage) => stage.entries);
  tellSlowest(entries);
  for (const { name, file, error } of entries)
    if (error !== undefined) console.log(`failed: ${file}: "${name}": ${error}`);
  const failed = ran.find(({ status }) => status !== 0);
  if (failed !== undefined) process.exit(failed.status);
  const skipped = entries.filter(({ skip }) => skip !== undefined);
  const allowed = mayBeSkipped(line);
  const wrong = skipped.filter(({ name }) => !allowed.includes(name));
  for (const entry of skipped) console.log(`skipped: ${describe(entry)}`);
  if (!noSkips || wrong.length === 0) return;
  console.error(`must not be skipped on this machine (--no-skips): ${wrong.map(describe).join('; ')}`);
  process.exit(1);
}

/** @param {Entry} entry */
const describe = ({ name, file, skip }) => `${file}: "${name}"${typeof skip === 'string' ? `, ${skip}` : ''}`;

/** @typedef {{ status: number, text: string, entries: Entry[] }} Ran */

/**
 * Stage after stage.
 *
 * @param {string} node
 * @param {readonly import('./test-files.mjs').Stage[]} stages
 * @param {boolean} shows what they print at once; else that is given as a text
 */
async function runLane(node, stages, shows) {
  /** @type {Ran[]} */
  const ran = [];
  for (const stage of stages) ran.push(await runStage(node, stage, shows));
  return ran;
}

/** @type {(node: string, stage: import('./test-files.mjs').Stage, shows: boolean) => Promise<Ran>} */
async function runStage(node, { atATime, files }, shows) {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-tests-'));
  const log = join(directory, 'entries.jsonl');
  const printed = join(directory, 'printed.txt');
  const script = join(root, 'scripts/run-stage.mjs');
  const args = [script, String(atATime), shows ? '-' : printed, log, ...files];
  try {
    const child = spawn(node, args, { cwd: root, stdio: 'inherit', env: TEST_ENV });
    const [code] = await once(child, 'exit');
    const lines = readFileSync(log, 'utf8').split('\n');
    return {
      status: code ?? 1,
      text: shows ? '' : readFileSync(printed, 'utf8'),
      entries: lines.filter((text) => text !== '').map((text) => JSON.parse(text)),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {readonly Entry[]} entries */
function tellSlowest(entries) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { file, seconds } of entries) times.set(file, (times.get(file) ?? 0) + seconds);
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, NAMED);
  console.log('slowest files:');
  for (const [file, seconds] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
