import {
  FIRST_LOOK,
  formatCount,
  formatDuration,
  formatRate,
  list,
  machineLine,
  percent,
  printable,
  renderTable,
  STOPPED,
  type Style,
  wrap,
} from '@plimsoll/lab';
import type { LoadCell, LoadRecommendation, LoadResult, LoadRound, LoadTable } from '../result.js';
import { loadTable, tableName } from './table.js';

/** The whole result of a load for a terminal: a table per mode and case, what happened, which size suits which. */
export function loadReport(result: LoadResult, style: Style): string {
  const sections = [
    header(result, style),
    ...loadTables(result).map((cells) => tableSection(cells, result, style)),
    recommendations(result, style),
    disturbances(result, style),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** The cells of a result, table by table. */
export function loadTables({ cells }: LoadResult): LoadCell[][] {
  const tables = new Map<string, LoadCell[]>();
  for (const cell of cells) {
    const key = `${cell.mode} ${cell.case}`;
    tables.set(key, [...(tables.get(key) ?? []), cell]);
  }
  return [...tables.values()];
}

function header(result: LoadResult, { color, width }: Style): string[] {
  const { environment, method } = result;
  const how = howLoaded(result);
  const shared = sharing(method.target, environment.cpu.effectiveCpus);
  return [
    color.bold('npm run load'),
    ...wrap(machineLine(environment), width).map(color.dim),
    ...wrap(how, width).map(color.dim),
    ...wrap(legend(result), width).map(color.dim),
    ...(shared === null ? [] : wrap(shared, width).map(color.dim)),
    ...(method.interrupted ? [color.yellow('interrupted: what was measured until then')] : []),
  ];
}

/** `servers of all sizes take turns by slices of the traffic, in random order, 4 twice (A/A), seed 7, 61 s`. */
export function howLoaded({ method, tables }: LoadResult): string {
  const turns = tables.some((table) => table.method.mode === 'alternating')
    ? 'servers of all sizes take turns by slices of the traffic, in random order'
    : method.target === 'url'
      ? 'a server that runs already'
      : 'one fresh server at a time, in random order';
  const twice = method.baseline === null ? '' : `, ${method.baseline} twice (A/A)`;
  return `${turns}${twice}, seed ${method.seed}, ${formatDuration(method.seconds * 1000)}`;
}

/** How the table of some cells was measured. */
const tableOf = ({ tables }: LoadResult, { mode, case: name }: LoadCell): LoadTable | undefined =>
  tables.find((table) => table.mode === mode && table.case === name);

/** `24 slices of 1 × 15 requests for every size, in 8 generations of fresh servers, 55 s: the answer was known`. */
export function howSliced(result: LoadResult, cell: LoadCell): string[] {
  const found = tableOf(result, cell);
  if (found === undefined) return [];
  const { requests, sliceSeconds, rounds, generations, seconds, stop } = found.method;
  const each =
    sliceSeconds === null ? `${cell.parallel} × ${requests} requests` : `${formatRate(sliceSeconds)} s`;
  return [
    `${formatCount(rounds, 'slice')} of ${each} for every size in ${formatCount(generations, 'generation')} of fresh servers, ${formatDuration(seconds * 1000)}: ${STOPPED[stop]}`,
  ];
}

/** Sizes whose server failed, with the reason. */
export const lostOf = (result: LoadResult, cell: LoadCell): string[] =>
  (tableOf(result, cell)?.lost ?? []).map(({ size, message }) => `${size} is out: ${printable(message)}`);

/** What the columns say that do not say it themselves. */
export function legend({ method, cells }: LoadResult): string {
  const isOpen = cells.some(({ rate }) => rate !== null);
  const latency = isOpen
    ? 'latencies from the moment at which a request was to be sent'
    : method.target === 'sample'
      ? 'latencies of operations from the start of their request; completion: mean time from the first request to the end of an operation'
      : 'latencies of requests';
  return method.bystanderRate === null
    ? latency
    : `${latency}; bystander: p99 of a trivial request, ${method.bystanderRate} a second`;
}

/** Below this many CPUs the client competes with the server that it measures. */
const ENOUGH_CPUS = 4;

export const sharing = (target: LoadResult['method']['target'], cpus: number): string | null =>
  target === 'url' || cpus >= ENOUGH_CPUS ? null : `client and server share ${formatCount(cpus, 'CPU')}`;

function tableSection(cells: readonly LoadCell[], result: LoadResult, style: Style): string[] {
  const { color, width } = style;
  const { method } = result;
  const first = cells[0] as LoadCell;
  const [name = '', ...rest] = tableTitle(first, method.operation);
  const title = wrap(`${name}  ${rest.join(', ')}`, width, '  ');
  const { columns, rows } = loadTable(cells, method.baseline, color.bold);
  const [head = '', ...body] = renderTable(columns, rows, width - 2);
  return [
    color.bold(name) + color.dim((title[0] ?? '').slice(name.length)),
    ...title.slice(1).map(color.dim),
    ...howSliced(result, first).flatMap((text) => wrap(`  ${text}`, width, '  ').map(color.dim)),
    `  ${color.dim(head)}`,
    ...body.map((line) => `  ${line}`),
    ...[...cells.flatMap(happenings), ...lostOf(result, first)].flatMap((text) =>
      wrap(`! ${text}`, width - 2, '  ').map((line) => `  ${color.yellow(line)}`),
    ),
  ];
}

/** What a table is about: `pm2-cluster × 2, case 1`, its traffic, what each request does. */
export function tableTitle(cell: LoadCell, operation: string | null): string[] {
  const { mode, instances, parallel, requests, rate, durationSeconds } = cell;
  const where = mode === 'command' ? 'your command' : mode === 'url' ? 'the server at the URL' : mode;
  const workers = instances > 1 ? ` × ${instances}` : '';
  const traffic =
    rate === null
      ? `${parallel} × ${requests} ${requests === 1 && parallel === 1 ? 'request' : 'requests'}`
      : `${formatRate(rate)} requests/s for ${durationSeconds} s (Poisson)`;
  const named = /^\d+$/.test(cell.case) ? `, case ${cell.case}` : '';
  return [`${where}${workers}${named}`, traffic, ...(operation === null ? [] : [`each ${operation}`])];
}

const SAYS: Record<string, (cell: LoadCell) => string> = {
  errors: ({ errors, rounds }) => {
    const why = rounds.find(({ firstFailure }) => firstFailure !== null)?.firstFailure;
    return `${errors} requests or operations failed${why == null ? '' : ` (${printable(why.slice(0, 200))})`}`;
  },
  dropped: ({ rounds }) =>
    `${sum(rounds, ({ dropped }) => dropped)} requests were not sent: too many were under way`,
  unfinished: ({ rounds }) =>
    `${sum(rounds, ({ unfinished }) => unfinished)} requests had no answer at the end; their age counts`,
  'generator-bound': ({ rounds, rate }) =>
    rate === null
      ? `the client itself was busy ${percent(Math.max(...rounds.map(({ generator }) => generator.utilization)))} % of the time`
      : `the client itself was too busy or too late (${sum(rounds, ({ sentLate }) => sentLate)} of ${sum(rounds, ({ sent }) => sent)} requests left late)`,
  'forced-stop': () => 'it did not end on SIGTERM and was killed',
  'other-threads': () => 'threads of its own are among those counted',
  'pool-not-seen': () => 'no process was seen to use its pool, so its size cannot matter',
};

/** What happened in a cell, in words. */
export function happenings(cell: LoadCell): string[] {
  const where = cell.size === null ? '' : `${cell.size}: `;
  return cell.problems.flatMap((problem) => {
    const text = SAYS[problem]?.(cell);
    return text === undefined ? [] : [where + text];
  });
}

const sum = (rounds: LoadCell['rounds'], pick: (round: LoadRound) => number): number =>
  rounds.reduce((total, round) => total + pick(round), 0);

function recommendations({ recommended }: LoadResult, { color, width }: Style): string[] {
  if (recommended.length === 0) return [];
  const names = recommended.map(({ mode, case: name }) => tableName(mode, name));
  const longest = Math.max(...names.map(({ length }) => length));
  const lines = recommended.flatMap((recommendation, index) => {
    const [first = '', ...rest] = wrap(reason(recommendation), width - longest - 11);
    const indent = ' '.repeat(longest + 11);
    return [
      `  ${(names[index] as string).padEnd(longest)}  ${color.bold(leaning(recommendation).padStart(5))}  ${first}`,
      ...rest.map((line) => indent + line),
    ];
  });
  return [color.bold('The smallest UV_THREADPOOL_SIZE that is as good as the best'), ...lines];
}

const DISTURBANCES: Readonly<Record<string, string>> = {
  steal: 'cores given to other machines',
  'other-load': 'other programs',
  'psi-cpu': 'tasks waiting for a core',
  'psi-io': 'tasks waiting for a disk',
  'psi-memory': 'tasks waiting for memory',
  throttled: 'a CPU quota',
};

/** Slices that something outside of them disturbed, if any. */
export function disturbed({ cells, tables }: LoadResult): string | null {
  const rounds = cells.flatMap((cell) => cell.rounds);
  const hit = rounds.filter(({ disturbances }) => disturbances.length > 0);
  if (hit.length === 0) return null;
  const kinds = [...new Set(hit.flatMap(({ disturbances }) => disturbances))];
  const what = tables.every(({ method }) => method.mode === 'alternating')
    ? 'it hits all sizes alike and makes the intervals wider'
    : 'measure again on a quieter machine';
  return `${hit.length} of ${rounds.length} slices were disturbed from outside (${list(kinds.map((kind) => DISTURBANCES[kind] ?? kind))}); ${what}`;
}

function disturbances(result: LoadResult, { color, width }: Style): string[] {
  const text = disturbed(result);
  return text === null ? [] : wrap(`! ${text}`, width, '  ').map((line) => color.yellow(line));
}

/** A wrong recommendation is less likely than this, or it is marked. */
const ACCEPTED_CHANCE = 0.05;

/** The recommended size, with a tilde while it may well be wrong; with too few generations the one that the estimates lean to. */
export function leaning({ size, estimate, reasons }: LoadRecommendation): string {
  if (size === null) return estimate === null ? '?' : `~${estimate}`;
  const chance = reasons.find(({ id }) => id === 'load.chance-slower')?.evidence.chance;
  return `${Number(chance ?? 0) > ACCEPTED_CHANCE ? '~' : ''}${size}`;
}

/** Why; an estimate says how it becomes a verdict. */
export const reason = ({ size, estimate, because }: LoadRecommendation): string =>
  size === null && estimate !== null
    ? `estimate: ${because} (${FIRST_LOOK} generations or more give verdicts: --time)`
    : because;
