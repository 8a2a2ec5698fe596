// `npm run bench:startup [-- ROUNDS]`: what plimsoll adds to the start of Node, by processes that take turns in random order. Each
// figure is the median of the differences within rounds, with its interval at 95 % (sign test).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './run.mjs';
import { setup } from './setup.mjs';

setup();
const rounds = Number(process.argv[2] ?? 40);
if (!Number.isInteger(rounds) || rounds < 6) {
  console.error('the number of rounds must be at least 6');
  process.exit(2);
}
const cli = join(root, 'packages/plimsoll/bin/plimsoll.js');
const NOTHING = ['-e', '0'];
/** @type {Record<string, string[]>} */
const commands = {
  'node -e 0': NOTHING,
  'plimsoll --version': [cli, '--version'],
  'plimsoll run --size 4 -- node -e 0': [
    cli,
    'run',
    '--quiet',
    '--size',
    '4',
    '--',
    process.execPath,
    ...NOTHING,
  ],
};
const names = Object.keys(commands);
/** @type {Record<string, number>[]} */
const times = [];
for (let round = 0; round <= rounds; round++) {
  const order = names.map((name) => ({ name, at: Math.random() })).sort((a, b) => a.at - b.at);
  times.push(Object.fromEntries(order.map(({ name }) => [name, timeOf(commands[name])])));
}
// The first round fills caches.
const measured = times.slice(1);
const bare = /** @param {Record<string, number>} round */ (round) => round[names[0]];
tell(names[0], measured.map(bare));
for (const name of names.slice(1))
  tell(
    `${name}, over it`,
    measured.map((round) => round[name] - bare(round)),
  );

/** @param {string[]} args */
function timeOf(args) {
  const started = performance.now();
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

/** @param {string} name @param {number[]} values */
function tell(name, values) {
  const sorted = values.toSorted((a, b) => a - b);
  const edge = Math.max(0, Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)));
  const [low, median, high] = [edge, sorted.length >> 1, sorted.length - 1 - edge].map((at) =>
    sorted[at].toFixed(1),
  );
  console.log(`${name}: ${median} ms [${low}, ${high}]`);
}
