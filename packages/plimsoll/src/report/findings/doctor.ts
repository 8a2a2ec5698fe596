import { lacksRoom, type MachineFacts, type ProcessFacts, sizeOf } from '../../doctor/facts.js';
import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE, poolSizeOf } from '../../libuv/pool-size.js';
import type { Finding } from '../../results/finding.js';
import { formatCount, formatDecimal, list } from '../format.js';
import { advice, findAll, note, type RuleOver, warning } from './finding.js';

/** A finding, and what it means for whether the size is the one that was asked for: it is not, or that cannot be told. */
export interface DoctorFinding {
  readonly finding: Finding;
  readonly means: 'wrong' | 'unknown' | null;
}

export function diagnose(process: ProcessFacts, machine: MachineFacts): DoctorFinding[] {
  const found = isPm2(process)
    ? [unknown(warning('doctor.pm2-command', PM2_COMMAND, { pid: process.pid }))]
    : findAll([ofProgram, ofText, ofWorkers, ofCount, ofQuota, ofRoom], process, machine);
  // What is wrong for certain needs no count.
  return found.some(({ means }) => means === 'wrong')
    ? found.filter(({ means }) => means !== 'unknown')
    : found;
}

type Rule = RuleOver<[process: ProcessFacts, machine: MachineFacts], DoctorFinding>;

const neutral = (finding: Finding): DoctorFinding => ({ finding, means: null });
const unknown = (finding: Finding): DoctorFinding => ({ finding, means: 'unknown' });
const wrong = (...said: Parameters<typeof warning>): DoctorFinding => ({
  finding: warning(...said),
  means: 'wrong',
});

const quoted = (text: string): string => JSON.stringify(text);
const threadsOf = (threads: number): string => formatCount(threads, 'thread');
const START =
  'set it when you start the process: UV_THREADPOOL_SIZE=N node app.js, or plimsoll run --size N -- node app.js';

const PM2_COMMAND =
  "this command belongs to PM2 and ends while PM2's daemon runs the app, so it shows nothing about the app; start the app, then run plimsoll doctor PID for each PID that pm2 pid APP prints; or start the app with pm2-runtime, which keeps it in the foreground";

/** The command line of PM2, which hands apps to its daemon, or that daemon; `pm2-runtime` runs them itself. */
const PM2_OWN = /[\\/](pm2(-dev)?|pm2[\\/]lib[\\/](binaries[\\/](CLI|DevCLI)|Daemon)\.js)$/;
const isPm2 = ({ script }: ProcessFacts): boolean => script !== null && PM2_OWN.test(script);

const ofProgram: Rule = ({ pid, initial, current: asked, threads, libuv, platform, pm2, resized }) => {
  if (asked === null || asked === initial || resized) return null;
  const sets = `the program sets UV_THREADPOOL_SIZE to ${quoted(asked)}`;
  const evidence = { pid, asked, threads };
  // process.env sets the environment block of Windows, and libuv reads the one of the C runtime, made at the start.
  if (platform === 'win32')
    return wrong('doctor.set-on-windows', `${sets}, which has no effect on Windows: ${START}`, evidence);
  if (threads !== null && threads !== poolSizeOf(asked, libuv ?? undefined)) {
    const text = `${sets} after its pool was created with ${threadsOf(threads)}: in an ES module, all imports run first; ${START}`;
    return wrong('doctor.set-too-late', text, evidence);
  }
  // PM2's own code sets the variable in cluster mode, before it loads the app.
  if (pm2) return null;
  const text = `${sets} itself, early enough for now; an import that uses the pool before this line would undo it: ${START}`;
  return neutral(advice('doctor.set-in-program', text, evidence));
};

const ofText: Rule = ({ pid, initial, current, libuv, pm2 }) => {
  const setting = current ?? initial;
  const misreadings = setting === null ? [] : misread(pid, setting, poolSizeOf(setting, libuv ?? undefined));
  if (!pm2) return misreadings;
  const sets =
    setting === null ? 'does not set UV_THREADPOOL_SIZE' : `sets UV_THREADPOOL_SIZE to ${quoted(setting)}`;
  const text = `PM2 started it from its saved environment, which ${sets}; to change this, run pm2 restart APP --update-env, or set env in the ecosystem file`;
  return [...misreadings, neutral(advice('doctor.pm2-environment', text, { pid, asked: setting }))];
};

function misread(pid: number, asked: string, threads: number): DoctorFinding[] {
  if (/^\s*\+?\d+\s*$/.test(asked) && Number(asked) >= 1 && Number(asked) <= LARGEST_POOL_SIZE) return [];
  const text = `UV_THREADPOOL_SIZE is ${quoted(asked)}, for which libuv creates ${threadsOf(threads)}; set a whole number from 1 to ${LARGEST_POOL_SIZE}, or unset it for the default of ${DEFAULT_POOL_SIZE}`;
  return [wrong('doctor.misread', text, { pid, asked, threads })];
}

const ofWorkers: Rule = ({ pid, workers, threads }) => {
  const pool = `all threads of a process share one pool${threads === null ? '' : ` of ${threadsOf(threads)}`}`;
  const text = `a Worker has UV_THREADPOOL_SIZE ${list(workers.map(quoted))} in its environment, which has no effect: ${pool}; ${START}`;
  return workers.length > 0 && wrong('doctor.set-for-worker', text, { pid, asked: workers, threads });
};

/** The threads are not those of the variable, and the program did not touch it. */
const ofCount: Rule = (process) => {
  const { pid, initial, current, threads, libuv, usedBy, platform, resized } = process;
  if (threads === null && usedBy === 'nobody') {
    const size = sizeOf(process);
    const text = `nothing has used the pool yet, so it has no threads; the first job would create ${threadsOf(size)}, unless the program sets UV_THREADPOOL_SIZE before then`;
    return unknown(note('doctor.not-used', text, { pid, size }));
  }
  if (threads === null) {
    const text =
      platform === 'linux'
        ? 'the pool threads cannot be counted: plimsoll may not read the memory of the process, and the threads have no names (Node 22.17 and later name them); run plimsoll as root, or let it start the app: plimsoll doctor -- node app.js'
        : `plimsoll counts threads on Linux only, not on ${platform}, so it cannot verify the pool size`;
    return unknown(warning('doctor.not-counted', text, { pid, platform }));
  }
  const asked = poolSizeOf(resized ? current : initial, libuv ?? undefined);
  if (resized) {
    const text = `the pool was resized at run time to ${threadsOf(threads)}, but UV_THREADPOOL_SIZE sets ${asked}; a restart returns to ${asked}`;
    return threads !== asked && neutral(advice('doctor.resized', text, { pid, asked, threads }));
  }
  if (threads === asked || (current !== null && current !== initial)) return null;
  const text = `${threadsOf(threads)} were counted, but UV_THREADPOOL_SIZE sets ${asked}: a module that was loaded before the program sets the variable or uses the pool`;
  return wrong('doctor.other-count', text, { pid, asked, threads });
};

const ofQuota: Rule = ({ pid, availableParallelism: said }, { effectiveCpus: cpus }) => {
  if (said === null || said <= Math.ceil(cpus)) return null;
  const text = `os.availableParallelism() returns ${said}, but quota and affinity allow the process ${formatDecimal(cpus)} CPUs; do not compute the size from it: plimsoll run --size cpus respects the quota`;
  return neutral(advice('doctor.parallelism-over-quota', text, { pid, said, cpus }));
};

const ofRoom: Rule = (process, { pidsHeadroom: headroom }) => {
  if (headroom === null || !lacksRoom(process, headroom)) return null;
  const size = sizeOf(process);
  const text = `the pids limit leaves room for ${threadsOf(headroom)}, but the pool needs ${size} in addition to Node's own threads; Node aborts (SIGABRT) when it cannot create a thread; raise the limit (--pids-limit, podPidsLimit), or lower the size`;
  return wrong('doctor.pids-limit', text, { pid: process.pid, size, headroom });
};
