import { sum } from '../collections/sum.js';
import { printable } from '../host/printable.js';
import type { Doing, RescueStatus, SeenProcess, SeenThread } from '../results/pool-activity.js';
import { column, notes, type Section, type Tone } from './document.js';
import { formatCount, formatDuration, percent } from './format.js';
import type { Style } from './style.js';
import { sectionsText } from './terminal.js';

const MOST_WITH_THREADS = 4;

export function screenLines(processes: readonly SeenProcess[], style: Style, isLive = false): string[] {
  const where = processes.length === 1 ? '1 process' : `${processes.length} processes`;
  const [busy, threads] = [sum(processes.map((one) => one.busy)), sum(processes.map((one) => one.threads))];
  const aside = `${busy} of ${threads} pool threads busy in ${where}${isLive ? '  q quits' : ''}`;
  const withThreads = processes.length > MOST_WITH_THREADS ? [] : processes;
  const sections: Section[] = [
    { title: 'plimsoll top', aside, blocks: [] },
    processesSection(processes, style),
    ...withThreads.map((process) => threadsSection(process, style)),
  ];
  return sectionsText(sections, style).split('\n');
}

const LEAST_PROGRAM = 14;

function processesSection(processes: readonly SeenProcess[], { width }: Style): Section {
  const room = Math.max(LEAST_PROGRAM, width - 34);
  const titles = [column('process'), column('busy'), column('event loop', 'left', 1)];
  const columns = [...titles, column('program', 'left')];
  const rows = processes.map(({ pid, busy, threads, size, program, seen, countedBy }) => {
    const loop = seen.find(({ role }) => role === 'event loop');
    const unused = `–/${countedBy === null ? '?' : size}`;
    const used = `${busy}/${countedBy === 'creation' ? '~' : ''}${threads}`;
    const doing = loop === undefined ? '' : briefly(loop.doing);
    return [String(pid), threads === 0 ? unused : used, doing, cut(shortened(program), room)];
  });
  return { blocks: [{ kind: 'table', caption: 'Processes', columns, rows }] };
}

/** Files without their folders, but for the last one. */
const shortened = (program: string): string =>
  program.replace(/(^| )\/(?:[^/ ]+\/)*([^/ ]+\/[^/ ]+)/g, '$1$2');

function briefly(doing: Doing): string {
  if (doing.what === 'running') return `running ${percent(doing.cpuShare)} %`;
  if (doing.what === 'waiting for a core') return `no core ${percent(doing.coreWaitShare)} %`;
  return cut(doing.what === 'blocked' ? `in ${doing.call}` : doingText(doing), LEAST_PROGRAM);
}

const ROLE_ORDER = ['event loop', 'pool', 'other', 'runtime'] as const;

const TONES: Readonly<Record<Doing['what'], Tone>> = {
  idle: 'soft',
  parked: 'soft',
  sleeping: 'soft',
  running: 'good',
  'waiting for a core': 'unsure',
  blocked: 'pool',
};

function threadsSection({ seen, tellsCalls, pid, rescue }: SeenProcess, { width }: Style): Section {
  const runtime = seen.filter(({ role }) => role === 'runtime');
  const isQuiet = runtime.every(({ doing }) => doing.what === 'idle' || doing.what === 'sleeping');
  const rank = ({ role }: SeenThread): number => ROLE_ORDER.indexOf(role);
  const shown = (isQuiet ? seen.filter(({ role }) => role !== 'runtime') : seen).toSorted(
    (a, b) => rank(a) - rank(b) || a.tid - b.tid,
  );
  const rows = shown.map(({ tid, role, doing }) => {
    const activity = cut(doingText(doing), Math.max(16, width - 30));
    return [String(tid), role, activity].map((text) => ({ text, tone: TONES[doing.what] }));
  });
  const columns = [column('thread'), column('role', 'left'), column('activity', 'left')];
  const quiet = `and ${formatCount(runtime.length, 'idle V8 and Node thread')}`;
  const refused = `! plimsoll may not read the system calls of process ${pid}: run it as the same user with kernel.yama.ptrace_scope=0, or as root (CAP_SYS_PTRACE)`;
  return {
    title: `process ${pid}`,
    blocks: [
      ...notes([rescue === null ? null : printable(rescueText(rescue))], 'pool'),
      { kind: 'table', caption: 'Threads', columns, rows },
      ...notes([isQuiet && runtime.length > 0 ? quiet : null], 'soft'),
      ...notes([tellsCalls ? null : refused], 'unsure'),
    ],
  };
}

/** `rescue: 8 threads, 4 to 32; grew from 4 to 8 12 s ago: jobs waited 102 ms, and 4 threads were blocked`. */
export function rescueText({ base, size, max, last }: RescueStatus, now = Date.now()): string {
  const state = `rescue: ${formatCount(size, 'thread')}, ${base} to ${max}`;
  if (last === null) return `${state}; no change was needed yet`;
  const did = last.type === 'grow' ? 'grew' : 'shrank';
  const ago = formatDuration(Math.max(0, now - last.at));
  return `${state}; ${did} from ${last.from} to ${last.size} ${ago} ago: ${last.reason}`;
}

/** `running, 98 % of a core`, `blocked in openat on /var/run/pipe`. */
function doingText(doing: Doing): string {
  switch (doing.what) {
    case 'idle':
      return 'idle';
    case 'parked':
      return 'parked by a resize';
    case 'running':
      return `running, ${percent(doing.cpuShare)} % of a core${doing.coreWaitShare > 0.05 ? `, waiting for one ${percent(doing.coreWaitShare)} %` : ''}`;
    case 'waiting for a core':
      return `waiting for a core ${percent(doing.coreWaitShare)} % of the time, running ${percent(doing.cpuShare)} %`;
    case 'blocked':
      return `blocked in ${doing.call}${doing.on === null ? '' : ` on ${doing.on}`}`;
    case 'sleeping':
      return doing.state === 'D' ? 'waiting for a disk' : 'sleeping';
  }
}

/** Cut to what is seen of it: an escaped character is longer. */
function cut(text: string, most: number): string {
  const characters = [...printable(text)];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
