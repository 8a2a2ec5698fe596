// `npm run soak:resize [-- --resizes N --lines 20,22 --out FILE]`: resizes libuv's pool at random on each line of Node while it works,
// and checks every job and the number of threads. Writes docs/results/resize-soak.md when all lines ran in full; 1 when something was
// wrong.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LINES, nodeOfLine } from './node-lines.mjs';
import { root } from './run.mjs';
import { setup } from './setup.mjs';

const FULL = 10_000;
const LARGEST = 64;
const { values } = parseArgs({
  options: {
    resizes: { type: 'string', default: String(FULL) },
    lines: { type: 'string', default: LINES.join(',') },
    out: { type: 'string' },
  },
});
const lines = values.lines.split(',').map(Number);
const isFull = Number(values.resizes) >= FULL && lines.join() === LINES.join();
const out = values.out ?? (isFull ? join(root, 'docs/results/resize-soak.md') : undefined);

setup();
const soak = join(root, 'packages/monitor/test/fixtures/resize-soak.cjs');
const runs = lines.map((line) => {
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(LARGEST) };
  const text = execFileSync(nodeOfLine(line), [soak, values.resizes], { env, encoding: 'utf8' });
  process.stdout.write(text);
  return JSON.parse(text);
});

const COLUMNS = [
  ['Node', 'version'],
  ['engine', 'resizing'],
  ['resizes', 'resizes'],
  ['seconds', 'seconds'],
  ['jobs', 'jobs'],
  ['wrong', 'wrong'],
  ['twice', 'twice'],
  ['lost', 'lost'],
  ['threads counted', 'checks'],
  ['miscounted', 'miscounted'],
  ['slowest resize, ms', 'slowestMs'],
  ['RSS at the start, MB', 'rssStartMb'],
  ['RSS at the end, MB', 'rssEndMb'],
];
/** @param {unknown[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = [
  row(COLUMNS.map(([title]) => title)),
  row(COLUMNS.map((_, column) => (column < 2 ? '---' : '---:'))),
  ...runs.map((run) => row(COLUMNS.map(([, field = '']) => run[field].toLocaleString('en')))),
].join('\n');
const page = `# Resizing the pool under load

Does a job get lost, run twice or give a wrong result while \`threadPool.resize()\` changes the size of libuv's pool at random
between 1 and ${LARGEST}? \`npm run soak:resize\`, on ${availableParallelism()} cores, under 96 jobs at a time: files read and written (SHA-256
of each), pbkdf2, gzip and gunzip, and lookups. A job ends in the file's checksum or the result that is known; one that does not
call back is lost. After each resize libuv's own size is read, and after every 20th the threads that serve the queue
are counted from /proc. RSS is that after 500 resizes and after the last.

${table}

A resize to a smaller size waits for the jobs that were in the queue before it, so the slowest one says how long the queue and the
machine's other work were.
`;
if (out !== undefined) writeFileSync(out, page);
else console.log(table);
process.exitCode = runs.some((run) => run.wrong + run.twice + run.lost + run.miscounted > 0) ? 1 : 0;
