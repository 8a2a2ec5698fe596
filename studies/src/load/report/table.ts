import {
  type Column,
  change,
  FIRST_LOOK,
  formatBytes,
  formatChange,
  formatMs,
  formatRate,
} from '@plimsoll/lab';
import type { LoadCell } from '../result.js';

const column = (title: string, expendable: number, align: Column['align'] = 'right'): Column => ({
  title,
  align,
  expendable,
});

/** How the best of a column is set off. */
export type Emphasis = (text: string) => string;

interface Field {
  readonly column: Column;
  readonly text: (cell: LoadCell) => string;
  /** A column whose lowest value is the best: what to compare. */
  readonly lowest?: (cell: LoadCell) => number | null;
}

/** Latencies as the clients or the operations saw them: those of the operations where they are known. */
export const latencies = ({ operationMs, httpMs, rate }: LoadCell): LoadCell['httpMs'] =>
  rate === null ? (operationMs ?? httpMs) : httpMs;

const UNKNOWN = '–';

const known = <Value>(value: Value | null | undefined, text: (value: Value) => string): string =>
  value === null || value === undefined ? UNKNOWN : text(value);

const seconds = (ms: number): string => {
  const value = ms / 1000;
  return value >= 0.1 ? value.toFixed(3) : value.toPrecision(2);
};

function latency(
  title: string,
  pick: 'min' | 'max' | 'mean' | 'p50' | 'p95' | 'p99',
  expendable: number,
): Field {
  const lowest = (cell: LoadCell): number | null => latencies(cell)?.[pick] ?? null;
  return {
    column: column(title, expendable),
    text: (cell) => known(lowest(cell), seconds),
    ...(['min', 'max', 'mean'].includes(pick) ? { lowest } : {}),
  };
}

/** `4`, or `2 × 4` for two processes with four each. */
export function threads({ observedThreads }: LoadCell): string {
  const [first] = observedThreads;
  if (first === undefined || first === null) return UNKNOWN;
  if (observedThreads.some((count) => count !== first))
    return observedThreads.map((n) => n ?? '?').join(' + ');
  return observedThreads.length === 1 ? String(first) : `${observedThreads.length} × ${first}`;
}

function fields(baseline: number | null, cells: readonly LoadCell[]): Field[] {
  const isOpen = cells.some(({ rate }) => rate !== null);
  const isCompared = cells.some(({ ratio }) => ratio !== null) && cells.length > 1;
  const hasOperations = cells.some(({ operationsPerRequest }) => operationsPerRequest !== null);
  const fixed: Field[] = isOpen
    ? [
        { column: column('requests/s', 9), text: ({ rate }) => known(rate, formatRate) },
        { column: column('for', 9), text: ({ durationSeconds }) => known(durationSeconds, (s) => `${s} s`) },
      ]
    : [
        { column: column('parallels', 9), text: ({ parallel }) => known(parallel, String) },
        { column: column('requests', 9), text: ({ requests }) => known(requests, String) },
      ];
  return [
    { column: column('size', 0), text: ({ size }) => (size === null ? 'as it is' : String(size)) },
    { column: column('threads', 4), text: threads },
    ...fixed,
    ...(hasOperations
      ? [{ column: column('I/O ops', 9), text: (cell: LoadCell) => known(cell.operationsPerRequest, String) }]
      : []),
    latency('min s', 'min', 2),
    latency('max s', 'max', 1),
    latency('avg s', 'mean', 0),
    ...(hasOperations && !isOpen
      ? [
          {
            column: column('completion s', 0),
            text: ({ completionMs }: LoadCell) => known(completionMs?.mean, seconds),
            lowest: ({ completionMs }: LoadCell) => completionMs?.mean ?? null,
          },
        ]
      : []),
    ...(isCompared
      ? [
          {
            column: column(`against ${baseline}`, 0, 'left'),
            text: (cell: LoadCell) => against(cell, baseline),
          },
        ]
      : []),
    latency('p50 s', 'p50', 7),
    latency('p95 s', 'p95', 8),
    latency('p99 s', 'p99', isOpen ? 0 : 6),
    {
      column: column(hasOperations ? 'ops/s' : 'answers/s', 5),
      text: ({ throughput }) => formatRate(throughput),
    },
    { column: column('CPU', 5), text: ({ cpuSeconds }) => known(cpuSeconds, (s) => formatMs(s * 1000)) },
    { column: column('memory', 6), text: ({ maxRssBytes }) => known(maxRssBytes, formatBytes) },
    {
      column: column('loop delay', 3),
      text: ({ eventLoopDelayMs }) => known(eventLoopDelayMs?.p99, formatMs),
      lowest: ({ eventLoopDelayMs }) => eventLoopDelayMs?.p99 ?? null,
    },
    {
      column: column('bystander', 0),
      text: ({ bystanderMs }) => known(bystanderMs?.p99, formatMs),
      lowest: ({ bystanderMs }) => bystanderMs?.p99 ?? null,
    },
    ...(isCompared
      ? [{ column: column('verdict', 0, 'left'), text: (cell: LoadCell) => verdict(cell, baseline) }]
      : []),
  ];
}

function against({ ratio, interval, size }: LoadCell, baseline: number | null): string {
  if (size === baseline) return 'baseline';
  if (ratio === null) return '';
  return interval === null ? change(ratio) : formatChange(ratio, interval);
}

/** With too few generations for a verdict the word is `estimate`: `unclear` would sound as if more had been tried. */
function verdict({ verdict, generations, size }: LoadCell, baseline: number | null): string {
  if (size === baseline || verdict === null) return '';
  return verdict === 'unclear' && generations < FIRST_LOOK ? 'estimate' : verdict;
}

/** The cells of one table as columns and rows; the best of min, max, average, loop and bystander is emphasised. */
export function loadTable(
  cells: readonly LoadCell[],
  baseline: number | null,
  emphasise: Emphasis,
): { columns: Column[]; rows: string[][] } {
  // What nobody can know here is left out.
  const all = fields(baseline, cells).filter(({ text }) => cells.some((cell) => text(cell) !== UNKNOWN));
  const least = all.map(({ lowest }) =>
    lowest === undefined ? null : Math.min(...cells.map((cell) => lowest(cell) ?? Number.POSITIVE_INFINITY)),
  );
  return {
    columns: all.map((field) => field.column),
    rows: cells.map((cell) =>
      all.map(({ text, lowest }, index) => {
        const isBest = cells.length > 1 && lowest !== undefined && lowest(cell) === least[index];
        return isBest ? emphasise(text(cell)) : text(cell);
      }),
    ),
  };
}

/** A mode and a case as people call them together: `pm2-fork case 1`, `node open`. */
export const tableName = (mode: string, name: string): string =>
  `${mode} ${/^\d+$/.test(name) ? `case ${name}` : name}`;
