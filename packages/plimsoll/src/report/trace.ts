import type { Budget, TracedProgram, TraceSummary } from '../results/trace-summary.js';
import { PARTS } from '../trace/budget.js';
import {
  type Block,
  column,
  findingsBlock,
  notes,
  type Report,
  type Section,
  type Table,
} from './document.js';
import { waitAdvice } from './findings/waits.js';
import { barsOf, siteText } from './flame.js';
import { formatCount, formatMs, formatNumber, list, percent } from './format.js';

const ENDINGS: Readonly<Record<TraceSummary['ending'], string>> = {
  ended: 'the command ended after',
  failed: 'the command failed after',
  stopped: 'stopped after',
  interrupted: 'interrupted after',
};

export function traceDocument(summary: TraceSummary): Report {
  const { command, environment, ending, durationMs, programs, notes: told } = summary;
  const took = `${ENDINGS[ending]} ${formatMs(durationMs)}`;
  const isWhole = ending === 'ended' || ending === 'stopped';
  const isUsed = programs.some(({ jobs }) => jobs > 0);
  return {
    command: 'plimsoll trace',
    subject: command,
    environment,
    about: isWhole ? [took] : [],
    warning: isWhole ? null : took,
    verdicts: programs
      .filter(({ jobs }) => jobs > 0)
      .map(({ script, advice }) => ({
        ...{ work: script ?? 'node', size: null, sign: '', confidence: 'sure', gain: '', sure: '' },
        because: advice.text,
      })),
    sections: [
      ...programs.map(programSection),
      { blocks: isUsed ? legend(programs) : [] },
      { blocks: findingsBlock(told.map(({ id, text }) => ({ id, text, severity: 'warning' }))) },
    ],
  };
}

function programSection(program: TracedProgram): Section {
  const { script, pids, node, jobs, advice } = program;
  const processes = pids.length === 1 ? `process ${pids[0]}` : `${pids.length} processes`;
  return {
    title: script ?? 'node',
    aside: `${poolText(program)} (${processes}, Node ${node})`,
    blocks: [
      ...(jobs === 0 ? [] : [...notes([useText(program)]), ...waitBlocks(program), budgetTable(program)]),
      ...findingsBlock(
        [advice, ...waitAdvice(program)].map(({ text }) => ({ text, severity: 'advice' as const })),
      ),
    ],
  };
}

function poolText({ observedThreads, size, jobs }: TracedProgram): string {
  if (observedThreads.length === 0)
    return jobs === 0 ? 'no pool' : `${formatCount(size, 'pool thread')} by UV_THREADPOOL_SIZE, not counted`;
  const counted = `${list(observedThreads)} pool thread${observedThreads.join() === '1' ? '' : 's'}, counted`;
  const isAnother = observedThreads.some((threads) => threads !== size);
  return isAnother ? `${counted} (UV_THREADPOOL_SIZE sets ${size})` : counted;
}

function useText(program: TracedProgram): string {
  const { jobs, activeMs, utilization, saturatedMs, queuedMs, eventLoopCpuShare } = program;
  const share = (part: number): string => `${percent(activeMs === 0 ? 0 : part / activeMs)}\u00a0%`;
  return [
    `${formatNumber(jobs)} jobs within ${formatMs(activeMs)}`,
    ...(utilization === null ? [] : [`pool utilization ${percent(utilization)} %`]),
    `all threads busy for ${formatMs(saturatedMs)} (${share(saturatedMs)})`,
    `jobs queued for ${formatMs(queuedMs)} (${share(queuedMs)})`,
    ...(eventLoopCpuShare === null ? [] : [`event loop uses ${percent(eventLoopCpuShare)} % of a core`]),
  ].join(' · ');
}

const MOST_PAIRS = 8;
const FALLS =
  'wait: for a pool thread, of all jobs of the call; it falls by so much if the call ahead takes no time and nothing else changes.';

/** The graph, and the table of the waits for a thread. */
function waitBlocks({ waits, blocking }: TracedProgram): Block[] {
  if (waits.length === 0) return [];
  const graph = { kind: 'flame', caption: 'Where calls waited', root: barsOf('all waiting', waits) } as const;
  if (blocking.length === 0) return [graph];
  const table: Table = {
    kind: 'table',
    caption: 'Who makes whom wait for a pool thread',
    columns: [column('waits', 'left'), column('behind', 'left'), column('wait, ms'), column('falls by, ms')],
    rows: blocking
      .slice(0, MOST_PAIRS)
      .map(({ victim, blocker, ...ms }) => [
        ...[siteText(victim), siteText(blocker)],
        ...[ms.waitMs, ms.fallsByMs].map((value) => formatNumber(Math.round(value))),
      ]),
  };
  return [graph, table, ...notes([FALLS], 'soft')];
}

const INFERRED = '~';

function budgetTable({ kinds, budget, jobs }: TracedProgram): Table {
  const rows = kinds.flatMap(({ kind, jobs: number, inferred, budget: own }) =>
    budgetRows(`${isInferred(inferred, number) ? INFERRED : ''}${kind}`, number, own),
  );
  return {
    kind: 'table',
    caption: 'Where the time of jobs went',
    columns: [
      ...[column('', 'left'), column('jobs'), column('', 'left')],
      ...['thread', 'core', 'CPU', 'blocked', 'loop', 'total'].map((title) => column(title)),
    ],
    rows: kinds.length > 1 && budget !== null ? [...rows, ...budgetRows('all', jobs, budget)] : rows,
  };
}

/** Lost events make single jobs inferred in any kind: no reason to mark it. */
const isInferred = (inferred: number, jobs: number): boolean => inferred > jobs / 2;

const budgetRows = (kind: string, jobs: number, budget: Budget): string[][] => [
  [kind, formatNumber(jobs), 'mean', ...PARTS.map((part) => cell(budget[part].mean))],
  ['', '', 'p99', ...PARTS.map((part) => cell(budget[part].p99))],
];

const cell = (ms: number): string => (ms < 0.005 ? '–' : formatMs(ms).replace(' ms', ''));

const LEGEND =
  'Milliseconds unless a unit is given. thread: the job waits for a pool thread; core: it has a thread and waits for a core; CPU: it computes; blocked: it waits for a disk, the network or a lock; loop: its result waits for the event loop.';
const LEGEND_INFERRED =
  'start and end of these jobs are inferred from the rules of the queue; Node reports only submission and callback.';

function legend(programs: readonly TracedProgram[]): ReturnType<typeof notes> {
  const inferred = programs.some(({ kinds }) => kinds.some((kind) => isInferred(kind.inferred, kind.jobs)));
  return notes([LEGEND, inferred ? `${INFERRED} ${LEGEND_INFERRED}` : null], 'soft');
}
