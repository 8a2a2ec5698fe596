import { printable } from '../host/printable.js';
import type { Doing } from '../top/doing.js';
import type { SeenProcess, SeenThread } from '../top/look.js';
import { formatCount, percent } from './format.js';
import type { Style } from './style.js';
import { renderTable, wrap } from './table.js';

/** What the screen remembers of a process: pool threads at work at each look, the newest last. */
export type History = ReadonlyMap<number, readonly number[]>;

export type SortKey = 'busy' | 'pid';

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const SPARK = 24;

/**
 * The share of the pool that was at work, a sign for each look.
 *
 * @example
 * sparkline([0, 2, 4], 4); // '▁▅█'
 */
export const sparkline = (busy: readonly number[], size: number): string =>
  busy
    .slice(-SPARK)
    .map(
      (one) =>
        LEVELS[Math.min(LEVELS.length - 1, Math.round((one / Math.max(1, size)) * (LEVELS.length - 1)))],
    )
    .join('');

/** The list of processes, the one with the busiest pool first. */
export function processLines(
  processes: readonly SeenProcess[],
  history: History,
  { color, width }: Style,
): string[] {
  const [head = '', ...rows] = renderTable(
    [
      { title: 'process', align: 'right', expendable: 0 },
      { title: 'busy', align: 'right', expendable: 0 },
      { title: 'pool', align: 'left', expendable: 2 },
      { title: 'event loop', align: 'left', expendable: 1 },
      { title: 'program', align: 'left', expendable: 0 },
    ],
    processes.map((process) => {
      const { pid, busy, threads, size, program, seen, countedBy } = process;
      const loop = seen.find(({ role }) => role === 'event loop');
      return [
        String(pid),
        threads === 0
          ? `–/${countedBy === null ? '?' : size}`
          : `${busy}/${countedBy === 'creation' ? '~' : ''}${threads}`,
        sparkline(history.get(pid) ?? [], Math.max(threads, 1)),
        loop === undefined ? '' : briefly(loop.doing),
        cut(printable(shortened(program)), Math.max(LEAST_PROGRAM, width - (history.size === 0 ? 34 : 60))),
      ];
    }),
    width - 2,
  );
  return [`  ${color.dim(head)}`, ...rows.map((row) => `  ${row}`)];
}

const LEAST_PROGRAM = 14;

/** Files without their folders, but for the last one. */
const shortened = (program: string): string =>
  program.replace(/(^| )\/(?:[^/ ]+\/)*([^/ ]+\/[^/ ]+)/g, '$1$2');

/** For a narrow column. */
function briefly(doing: Doing): string {
  switch (doing.what) {
    case 'running':
      return `running ${percent(doing.cpuShare)} %`;
    case 'waiting for a core':
      return `no core ${percent(doing.coreWaitShare)} %`;
    case 'blocked':
      return cut(`in ${doing.call}`, LEAST_PROGRAM);
    default:
      return cut(doingText(doing), LEAST_PROGRAM);
  }
}

const ROLE_ORDER = ['event loop', 'pool', 'other', 'runtime'] as const;

/** Each thread of a process with what it is doing; V8's own ones in one line while they do nothing. */
export function threadLines({ seen, tellsCalls, pid }: SeenProcess, { color, width }: Style): string[] {
  const runtime = seen.filter(({ role }) => role === 'runtime');
  const isQuiet = runtime.every(({ doing }) => doing.what === 'idle' || doing.what === 'sleeping');
  const shown = (isQuiet ? seen.filter(({ role }) => role !== 'runtime') : seen).toSorted(
    (a, b) => ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role) || a.tid - b.tid,
  );
  const rows = shown.map((thread) => [
    String(thread.tid),
    thread.role,
    cut(doingText(thread.doing), Math.max(16, width - 30)),
  ]);
  const [head = '', ...body] = renderTable(
    [
      { title: 'thread', align: 'right', expendable: 0 },
      { title: 'of', align: 'left', expendable: 0 },
      { title: 'is', align: 'left', expendable: 0 },
    ],
    rows,
    width - 2,
  );
  return [
    `  ${color.dim(head)}`,
    ...body.map((line, index) => `  ${paint(line, shown[index] as SeenThread, color)}`),
    ...(isQuiet && runtime.length > 0
      ? [color.dim(`  and ${formatCount(runtime.length, 'thread')} of V8 and Node, idle`)]
      : []),
    ...(tellsCalls
      ? []
      : wrap(
          `! what threads wait in may not be read: run as the user of process ${pid} with kernel.yama.ptrace_scope=0, or as root (CAP_SYS_PTRACE)`,
          width - 2,
          '  ',
        ).map((line) => `  ${color.yellow(line)}`)),
  ];
}

const paint = (line: string, { doing }: SeenThread, color: Style['color']): string =>
  ({
    idle: color.dim,
    parked: color.dim,
    sleeping: color.dim,
    running: color.green,
    'waiting for a core': color.yellow,
    blocked: color.cyan,
  })[doing.what](line);

/** `running, 98 % of a core`, `blocked in openat on /var/run/pipe`. */
export function doingText(doing: Doing): string {
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
      return `blocked in ${doing.call}${doing.on === null ? '' : ` on ${printable(doing.on)}`}`;
    case 'sleeping':
      return doing.state === 'D' ? 'waiting for a disk' : 'sleeping';
  }
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

export interface ScreenState {
  readonly history: History;
  readonly help: boolean;
  readonly paused: boolean;
  readonly sort: SortKey;
  /** A question, or what became of it. */
  readonly line: string | null;
}

const HELP = [
  'busy is how many pool threads run, wait for a core, or are blocked in their work;',
  '~ is before a number of threads that were created together, where no more may be read (Node 20).',
  's sorts by the busiest pool or by PID, r resizes a pool, p pauses, q quits.',
];

const MOST_WITH_THREADS = 4;

/** The whole screen: the list of processes, and the threads of a few. */
export function screenLines(
  processes: readonly SeenProcess[],
  { history, help, paused, sort, line }: ScreenState,
  style: Style,
): string[] {
  const { color, width } = style;
  const inOrder = sort === 'pid' ? processes.toSorted((a, b) => a.pid - b.pid) : processes;
  const [busy, threads] = [sum(processes, (one) => one.busy), sum(processes, (one) => one.threads)];
  const state = paused ? color.yellow('  paused') : '';
  return [
    `${color.bold('plimsoll top')}  ${busy} of ${threads} pool threads busy in ${processes.length === 1 ? '1 process' : `${processes.length} processes`}${state}`,
    ...(line === null ? [] : wrap(line, width, '  ').map(color.cyan)),
    ...(help ? HELP.flatMap((text) => wrap(text, width)).map(color.dim) : []),
    '',
    ...processLines(inOrder, history, style),
    ...(processes.length > MOST_WITH_THREADS
      ? []
      : inOrder.flatMap((process) => [
          '',
          color.bold(`process ${process.pid}`),
          ...threadLines(process, style),
        ])),
  ];
}

const sum = <Item>(items: readonly Item[], pick: (item: Item) => number): number =>
  items.reduce((total, item) => total + pick(item), 0);
