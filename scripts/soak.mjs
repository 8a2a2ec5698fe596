// `npm run soak:resize [-- --resizes N]` resizes libuv's pool at random on each line of Node while it works, `npm run soak:rescue
// [-- --minutes N]` lets its jobs hang at random; every job is checked, and the threads are counted. `--lines 20,22` and `--out FILE`
// for both. Writes its page of docs/results when all lines ran in full; 1 when something was wrong.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LINES, nodeOfLine } from './node-lines.mjs';
import { root } from './run.mjs';
import { setup } from './setup.mjs';

/** @typedef {Record<string, any>} Run */
/**
 * @typedef {object} Soak
 * @property {'resizes' | 'minutes'} option how much, and how much is full
 * @property {number} full
 * @property {(amount: number, lines: readonly number[]) => Run[]} run
 * @property {string} title
 * @property {(cores: number) => string} description
 * @property {readonly (readonly [title: string, of: (run: Run) => unknown])[]} columns
 * @property {(run: Run) => number} wrong
 * @property {string} end
 */

/** @param {number} line @param {string} name @param {string} amount @param {NodeJS.ProcessEnv} env @param {readonly string[]} prefix */
function runOf(line, name, amount, env, prefix = []) {
  const fixture = join(root, 'packages/monitor/test/fixtures', `${name}-soak.cjs`);
  const [file = '', ...args] = [...prefix, nodeOfLine(line), fixture, amount];
  const text = execFileSync(file, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  process.stdout.write(text);
  return { ...JSON.parse(text), endedAt: Date.now() };
}

const LARGEST = 64;
const MOST = 32;

/** @type {Soak} */
const resize = {
  ...{ option: 'resizes', full: 10_000, title: 'Resizing the pool under load' },
  run: (resizes, lines) =>
    lines.map((line) => runOf(line, 'resize', String(resizes), { UV_THREADPOOL_SIZE: String(LARGEST) })),
  description: (
    cores,
  ) => `Does a job get lost, run twice or give a wrong result while \`threadPool.resize()\` changes the size of libuv's pool at random
between 1 and ${LARGEST}? \`npm run soak:resize\`, on ${cores} cores, under 96 jobs at a time: files read and written (SHA-256
of each), pbkdf2, gzip and gunzip, and lookups. A job ends in the file's checksum or the result that is known; one that does not
call back is lost. After each resize libuv's own size is read, and after every 20th the threads that serve the queue
are counted from /proc. RSS is that after 500 resizes and after the last.`,
  columns: [
    ['Node', (run) => run.version],
    ['engine', (run) => run.resizing],
    ['resizes', (run) => run.resizes],
    ['seconds', (run) => run.seconds],
    ['jobs', (run) => run.jobs],
    ['wrong', (run) => run.wrong],
    ['twice', (run) => run.twice],
    ['lost', (run) => run.lost],
    ['threads counted', (run) => run.checks],
    ['miscounted', (run) => run.miscounted],
    ['slowest resize, ms', (run) => run.slowestMs],
    ['RSS at the start, MB', (run) => run.rssStartMb],
    ['RSS at the end, MB', (run) => run.rssEndMb],
  ],
  wrong: (run) => run.wrong + run.twice + run.lost + run.miscounted,
  end: `A resize to a smaller size waits for the jobs that were in the queue before it, so the slowest one says how long the queue and the
machine's other work were.`,
};

/** A process that ends later than so is not ended by its own work. */
const LATE_MS = 2000;
/** More than a heap and its fragments change by. */
const GROWTH_MB = 60;

/** A network of its own, where 127.0.0.1:53 is free: the program answers there, and goes silent. @param {string} folder */
function privateNames(folder) {
  const [resolv, nsswitch] = ['resolv.conf', 'nsswitch.conf'].map((name) => join(folder, name));
  writeFileSync(resolv, 'nameserver 127.0.0.1\noptions timeout:1 attempts:2\n');
  writeFileSync(nsswitch, 'passwd: files\ngroup: files\nhosts: files dns\n');
  const enter =
    'ip link set lo up && mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"';
  const prefix = ['unshare', '--mount', '--net', '--', 'sh', '-c', enter, 'sh', resolv, nsswitch];
  try {
    execFileSync('unshare', [...prefix.slice(1), 'true'], { stdio: 'ignore' });
    return prefix;
  } catch {
    console.error('soak: no namespaces here (they need root), so no name server goes silent');
    return [];
  }
}

/** @type {Soak} */
const rescue = {
  ...{ option: 'minutes', full: 60, title: 'A rescue under jobs that hang' },
  run(minutes, lines) {
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-soak-names-'));
    try {
      const prefix = privateNames(folder);
      const hasResolver = prefix.length > 0 ? '1' : '0';
      return lines.map((line) => {
        const env = { UV_THREADPOOL_SIZE: String(MOST), SOAK_RESOLVER: hasResolver };
        return runOf(line, 'rescue', String((minutes * 60) / lines.length), env, prefix);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  description: (
    cores,
  ) => `Does a job get lost, or anything leak, while jobs hang at random and a rescue adds threads and gives them back?
\`npm run soak:rescue -- --minutes N\`, on ${cores} cores: 4 threads, at most ${MOST}, beside six jobs at a time whose results are known
(files, SHA-256, pbkdf2, gzip, lookups). Jobs hang in the open of a FIFO for up to 4 s, and in lookups at a name server that goes silent
for up to 3 s; the hung ones are checked as well. Threads, open files and RSS are those at rest, after the first rounds and after the last.
*Not in time* are changes of the size, as shrinks behind jobs that hang, that were given up and made later. *Longest wait* is that of
a \`stat\` every 100 ms. At the end the process exits with a pool that has just been made larger.`,
  columns: [
    ['Node', (run) => run.version],
    ['engine', (run) => run.resizing],
    ['minutes', (run) => (run.seconds / 60).toFixed(1)],
    ['jobs', (run) => run.jobs],
    ['hung', (run) => run.hung],
    ['in lookups too', (run) => (run.hasResolver ? 'yes' : 'no')],
    ['grown', (run) => run.grown],
    ['shrunk', (run) => run.shrunk],
    ['not in time', (run) => run.failed],
    ['wrong', (run) => run.wrong],
    ['twice', (run) => run.twice],
    ['lost', (run) => run.lost],
    ['not back at 4', (run) => run.notCalm],
    ['longest wait, ms', (run) => run.worstMs],
    ['threads', (run) => `${run.before.threads} → ${run.after.threads}`],
    ['files', (run) => `${run.before.files} → ${run.after.files}`],
    ['RSS, MB', (run) => `${run.before.rssMb} → ${run.after.rssMb}`],
    ['exit, ms', (run) => run.endedAt - run.atExit],
  ],
  wrong: (run) =>
    run.wrong +
    run.twice +
    run.lost +
    run.notCalm +
    Number(run.after.threads > run.before.threads) +
    Number(run.after.files > run.before.files) +
    Number(run.after.rssMb > run.before.rssMb + GROWTH_MB) +
    Number(run.endedAt - run.atExit > LATE_MS),
  end: `While more jobs hang than the pool has threads left, a wait lasts until one of them ends; a rescue answers within two looks, some 200 ms,
when it may have more.`,
};

/** @type {Record<string, Soak>} */
const SOAKS = { resize, rescue };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    resizes: { type: 'string' },
    minutes: { type: 'string' },
    lines: { type: 'string', default: LINES.join(',') },
    out: { type: 'string' },
  },
});
const [name = ''] = positionals;
const soak = /** @type {Soak} */ (SOAKS[name]);
const lines = values.lines.split(',').map(Number);
const amount = Number(values[soak.option] ?? soak.full);
const isFull = amount >= soak.full && lines.join() === LINES.join();
const out = values.out ?? (isFull ? join(root, `docs/results/${name}-soak.md`) : undefined);

setup();
const runs = soak.run(amount, lines);
/** @param {unknown[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |`;
/** @param {unknown} value */
const shown = (value) => (typeof value === 'number' ? value.toLocaleString('en') : value);
const table = [
  row(soak.columns.map(([title]) => title)),
  row(soak.columns.map((_, column) => (column < 2 ? '---' : '---:'))),
  ...runs.map((run) => row(soak.columns.map(([, of]) => shown(of(run))))),
].join('\n');
const page = `# ${soak.title}\n\n${soak.description(availableParallelism())}\n\n${table}\n\n${soak.end}\n`;
if (out !== undefined) writeFileSync(out, page);
else console.log(table);
process.exitCode = runs.some((run) => soak.wrong(run) > 0) ? 1 : 0;
