import { type DoctorFact, UNKNOWN, WRONG } from '../../doctor/diagnose.js';
import { printable } from '../../host/printable.js';
import type { Finding } from '../../results/finding.js';
import { formatCount, formatDecimal, formatMs, list } from '../format.js';
import { statement, type Texts } from './statement.js';

/** A fact about a pool as a finding: what is so, and the line to change. */
export const doctorFinding = (fact: DoctorFact): Finding => ({
  ...statement(fact, TEXTS),
  severity:
    WRONG.has(fact.id) || (UNKNOWN.has(fact.id) && fact.id !== 'doctor.not-used')
      ? 'warning'
      : NOTES.has(fact.id)
        ? 'note'
        : 'advice',
});

const NOTES: ReadonlySet<DoctorFact['id']> = new Set(['doctor.default', 'doctor.not-used']);

const quoted = (text: string): string => JSON.stringify(printable(text));
const START =
  'set it where the process is started: UV_THREADPOOL_SIZE=N node app.js, or plimsoll run --size N -- node app.js';
const threadsOf = (threads: number): string => formatCount(threads, 'thread');

const TEXTS: Texts<DoctorFact> = {
  'doctor.set-too-late': ({ asked, threads }) =>
    `the program sets UV_THREADPOOL_SIZE to ${quoted(asked)} after its pool was created with ${threadsOf(threads)}: in an ES module every import runs first; ${START}`,
  'doctor.set-in-program': ({ asked }) =>
    `the program sets UV_THREADPOOL_SIZE to ${quoted(asked)} itself, early enough so far; an import that uses the pool before that line undoes it: ${START}`,
  'doctor.set-on-windows': ({ asked }) =>
    `the program sets UV_THREADPOOL_SIZE to ${quoted(asked)}, which has no effect on Windows: ${START}`,
  'doctor.set-for-worker': ({ asked, threads }) =>
    `a Worker has UV_THREADPOOL_SIZE ${list(asked.map(quoted))} in its environment, which has no effect: all threads of a process share one pool${threads === null ? '' : `, of ${threadsOf(threads)}`}; ${START}`,
  'doctor.empty': ({ threads }) =>
    `UV_THREADPOOL_SIZE is empty, which libuv reads as 0 and makes ${threadsOf(threads)}; remove it, or give a number`,
  'doctor.not-a-number': ({ asked, threads }) =>
    `UV_THREADPOOL_SIZE is ${quoted(asked)}, which libuv reads as 0 and makes ${threadsOf(threads)}; give a number`,
  'doctor.zero': ({ asked, threads }) =>
    `UV_THREADPOOL_SIZE is ${quoted(asked)}, which makes ${threadsOf(threads)}; remove it for the default of 4`,
  'doctor.negative': ({ asked, threads }) =>
    `UV_THREADPOOL_SIZE is ${quoted(asked)}, which libuv reads as a very large number and makes ${threadsOf(threads)}; give a number from 1 to 1024`,
  'doctor.above-most': ({ asked, most }) =>
    `UV_THREADPOOL_SIZE is ${quoted(asked)}; libuv makes at most ${threadsOf(most)}`,
  'doctor.cut-off': ({ asked, threads }) =>
    `UV_THREADPOOL_SIZE is ${quoted(asked)}, of which libuv reads the digits at the front: ${threadsOf(threads)}; give a whole number`,
  'doctor.other-count': ({ asked, threads }) =>
    `${threadsOf(threads)} were counted where UV_THREADPOOL_SIZE gives ${asked}: something that is loaded before the program sets it, or starts threads of its own`,
  'doctor.pm2-environment': ({ asked }) =>
    `PM2 started it with UV_THREADPOOL_SIZE ${asked === null ? 'not set' : quoted(asked)}, from the environment that PM2 keeps: to change it, pm2 restart APP --update-env, or env in the ecosystem file`,
  'doctor.parallelism-over-quota': ({ said, cpus }) =>
    `os.availableParallelism() says ${said} there, but the process gets ${formatDecimal(cpus)} CPUs by its quota and affinity: do not compute the size from it; plimsoll run --size cpus counts the quota`,
  'doctor.pids-limit': ({ size, headroom }) =>
    `the pids limit leaves room for ${threadsOf(headroom)}, and the pool needs ${size} beside those of Node itself: Node ends by SIGABRT when a thread cannot be created; raise the limit (--pids-limit, podPidsLimit), or lower the size`,
  'doctor.exit-delayed': ({ ms }) =>
    `it ended ${formatMs(ms)} after its exit event, which jobs that still run in the pool do (process.exit() waits for them) and so does a busy machine`,
  'doctor.resized': ({ asked, threads }) =>
    `its pool was resized while it runs: ${threadsOf(threads)}, where UV_THREADPOOL_SIZE gives ${asked}; a restart has ${asked} again`,
  'doctor.not-counted': ({ platform }) =>
    platform === 'linux'
      ? 'nothing tells how many threads the pool has: the memory of the process may not be read, and its threads have no names (Node 22.17 and later name them); run plimsoll as root, or examine a command: plimsoll doctor -- node app.js'
      : `threads are counted on Linux only, not on ${platform}: nothing tells whether the pool has the size of the variable`,
  'doctor.not-used': ({ size }) =>
    `nothing has used its pool, which has no threads yet: the first job would make ${threadsOf(size)}, unless the program sets UV_THREADPOOL_SIZE before`,
  'doctor.pm2-command': () =>
    "the command is PM2's own, which ends while PM2's daemon runs the app: it tells nothing of the app; start the app, and examine its processes: plimsoll doctor PID, for each that pm2 pid APP prints; or examine pm2-runtime, which runs it in the foreground",
  'doctor.default': ({ threads }) => `UV_THREADPOOL_SIZE is not set: ${threadsOf(threads)}, libuv's default`,
};
