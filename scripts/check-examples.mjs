// `npm run check:examples [-- FILTER…]`: types every command and runs every block of code of README, the package pages and the
// guide in an empty folder, with the packages that npm would publish; of the reference, blocks that need nothing around them.
// check-examples/setups.mjs has what a page takes for granted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startRegistry } from './check-examples/registry.mjs';
import { FILES, PACKAGES, SETUPS } from './check-examples/setups.mjs';
import { endsIn, type } from './check-examples/terminal.mjs';
import { packAll } from './pack.mjs';
import { startRedis } from './redis.mjs';
import { outputOfNpm, root } from './run.mjs';
import { setup } from './setup.mjs';

/** Pages at once: most of their time is waiting. */
const AT_ONCE = 6;
/** The first command of a page is not interrupted before: `plimsoll tune` takes a minute. */
const FIRST_MS = 75_000;
/** Until then, later commands that do not stay may run to their end, too. */
const PATIENT_MS = 120_000;

setup();
const { PAGES, walkOf } = await import('./check-examples/pages.mjs');
const filters = process.argv.slice(2);
const started = Date.now();
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-examples-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const packages = packAll(directory);
const registry = await startRegistry(packages, outputOfNpm(['config', 'get', 'registry'], root).trim());
const names = packages.map(({ manifest }) => manifest.name);
const bin = join(directory, 'node_modules/.bin');
/** @type {NodeJS.ProcessEnv} */
const env = {
  ...process.env,
  ...{ npm_config_registry: registry.url, npm_config_audit: 'false', npm_config_fund: 'false' },
  // Ports that several pages would open at once.
  ...{ PORT: '0', NO_COLOR: '1', PATH: `${bin}${delimiter}${process.env.PATH}` },
};
writeManifest(directory);
const installing = type(`npm install --loglevel=error ${[...names, ...PACKAGES].join(' ')}`, {
  cwd: directory,
  env,
});
if ((await installing.ended) !== 0) throw new Error(installing.output());

const faults = /** @type {string[]} */ ([]);
let steps = 0;
const walks = PAGES.filter((page) => filters.length === 0 || filters.some((text) => page.includes(text)))
  .map(walkOf)
  .filter((walk) => walk.steps.length > 0)
  // What takes longest begins first.
  .sort((a, b) => b.steps.length - a.steps.length);
const next = walks.values();
await Promise.all(Array.from({ length: AT_ONCE }, worker));
registry.close();
console.log(`${steps} commands of ${walks.length} pages, ${Math.round((Date.now() - started) / 1000)} s`);
for (const fault of faults) console.error(`\n${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function worker() {
  for (const walk of next) await follow(walk);
}

/** @param {string} folder */
function writeManifest(folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
}

/** @param {import('./check-examples/pages.mjs').Walk} walk */
async function follow({ page, files, steps: all }) {
  const setup = SETUPS[page] ?? {};
  const cwd = join(directory, page.replaceAll(/[/.]/g, '-'));
  mkdirSync(cwd);
  writeManifest(cwd);
  for (const [name, text] of Object.entries({ ...FILES, ...setup.files, ...Object.fromEntries(files) })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  writeFileSync(join(cwd, 'globals.mjs'), setup.globals ?? '');
  const redis = setup.redis ? await startRedis() : null;
  const here = { cwd, env: { ...env, ...setup.env, ...(redis && { REDIS_URL: redis.url }) } };
  const server = setup.pid
    ? type('exec node server.js', { cwd, env: { ...env, UV_THREADPOOL_SIZE: '32' } })
    : null;
  try {
    /** @type {Running[]} */
    let running = [];
    for (const [at, step] of all.entries()) {
      const command = typed(step.command, setup, server?.pid);
      const one = { step, running: type(command, here) };
      running.push(one);
      steps++;
      await endsIn(one.running);
      if (all[at + 1]?.section === step.section) continue;
      for (const each of running) await judge(page, each, each.step === all[0], setup);
      running = [];
    }
  } finally {
    await server?.interrupt();
    await redis?.stop();
  }
}

/** @typedef {{ step: import('./check-examples/pages.mjs').Step, running: import('./check-examples/terminal.mjs').Running }} Running */

/** @type {(command: string, setup: import('./check-examples/setups.mjs').Setup, pid?: number) => string} */
function typed(command, { pid, globals }, actual) {
  if (pid !== undefined && actual !== undefined) return command.replaceAll(pid, String(actual));
  return globals === undefined
    ? command
    : command.replace(/^node (?=\S+\.[cm]?js$)/, '$&--import ./globals.mjs ');
}

/** @type {(page: string, one: Running, isFirst: boolean, setup: import('./check-examples/setups.mjs').Setup) => Promise<void>} */
async function judge(page, { step, running }, isFirst, { exitCodes = [] }) {
  const { line, command, prints } = step;
  const leftMs = started + PATIENT_MS - Date.now();
  if (isFirst) await endsIn(running, FIRST_MS);
  else if (!step.stays && leftMs > 0) await endsIn(running, Math.min(FIRST_MS, leftMs));
  const wasOver = running.isOver();
  const hasEnded = await running.interrupt();
  const code = await running.ended;
  const output = running.output();
  const text = output.replaceAll(/\s+/g, ' ');
  const missing = wasOver ? prints.filter((value) => !text.includes(value)) : [];
  const isFine = wasOver ? code === 0 || exitCodes.includes(code ?? -1) : [0, 130, null].includes(code);
  const fault = !hasEnded
    ? 'is not ended by Ctrl-C'
    : !isFine
      ? `ends with ${code}`
      : missing.length > 0
        ? `does not print ${missing.join(', ')}`
        : null;
  console.log(`${fault === null ? '✓' : '✗'} ${page}:${line} ${command}`);
  if (fault !== null) faults.push(`${page}:${line} ${command}\n${fault}:\n${output.slice(-2000)}`);
}
