import type { TracedProgram, TraceSummary } from '../../results/trace-summary.js';
import { formatCount, formatMs, percent } from '../format.js';
import type { Column } from '../table.js';
import { escapeText } from './escape.js';
import { findingList } from './finding-list.js';
import type { Render, Section } from './section.js';
import { htmlTable } from './table.js';
import { drawTimeStack } from './time-stack.js';

const MOST_KINDS = 8;

/** The summary of `plimsoll trace`: for each program where the time of its jobs went, and what would help. */
export const traceSection: Render<TraceSummary> = (summary, id): Section => {
  const { command, programs, notes, durationMs, ending } = summary;
  return {
    id,
    title: [...new Set(programs.map(({ script }) => script ?? 'node'))].join(', ') || command,
    kind: 'plimsoll trace',
    verdicts: programs
      .filter(({ jobs }) => jobs > 0)
      .map(({ script, advice }) => ({
        work: script ?? 'node',
        size: null,
        isEstimate: true,
        gain: '',
        sure: '',
        because: advice.text,
      })),
    body: [
      `<p class="how">${ending} after ${formatMs(durationMs)}</p>`,
      ...programs.map((program, index) => programPart(program, `${id}-${index + 1}`)),
      findingList(notes),
    ].join('\n'),
  };
};

const right = (title: string): Column => ({ title, align: 'right', expendable: 0 });

const COLUMNS: readonly Column[] = [
  { title: 'kind of job', align: 'left', expendable: 0 },
  ...[
    'jobs',
    'waited',
    'for a thread, p99',
    'for a core, p99',
    'CPU, p99',
    'blocked, p99',
    'for the loop, p99',
    'total, p99',
  ].map(right),
];

function programPart(program: TracedProgram, id: string): string {
  const {
    script,
    kinds,
    jobs,
    pids,
    size,
    observedThreads,
    utilization,
    saturatedMs,
    activeMs,
    budget,
    advice,
  } = program;
  const threads =
    observedThreads.length === 0 ? `${size} by UV_THREADPOOL_SIZE` : `${observedThreads.join(', ')} counted`;
  const use = utilization === null ? '' : `, in use ${percent(utilization)} % of the active time`;
  const all = activeMs === 0 ? 0 : saturatedMs / activeMs;
  const rows = kinds.map(({ kind, jobs: count, queued, budget: of }) => [
    kind,
    String(count),
    String(queued),
    ...[of.queueWaitMs, of.coreWaitMs, of.cpuMs, of.blockedMs, of.eventLoopMs, of.totalMs].map(({ p99 }) =>
      formatMs(p99),
    ),
  ]);
  const stacks = [
    ...kinds.slice(0, MOST_KINDS).map(({ kind, budget: of }) => ({ label: kind, budget: of })),
    ...(budget === null || kinds.length < 2 ? [] : [{ label: 'all', budget }]),
  ];
  return `<h3>${escapeText(script ?? 'node')}</h3>
<p class="how">${formatCount(jobs, 'job')}, ${pids.length === 1 ? '1 process' : `${pids.length} processes`}, pool threads: ${escapeText(threads)}${use}, all threads taken ${percent(all)} % of it</p>
${findingList([{ ...advice, severity: 'advice' }])}
${jobs === 0 ? '' : drawTimeStack(stacks, 'Where the mean time of a job went')}
${rows.length === 0 ? '' : htmlTable(COLUMNS, rows, { id: `${id}-table`, caption: `Jobs of ${script ?? 'node'} by kind` })}`;
}
