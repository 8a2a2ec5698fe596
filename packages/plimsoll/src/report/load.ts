import { printable } from '../host/printable.js';
import type { LoadCell, LoadRecommendation, LoadResult } from '../results/load.js';
import { formatCount, formatDuration, formatRate, list, percent, tableName } from './format.js';
import { loadTable } from './load-table.js';
import { machineLine } from './machine-line.js';
import type { Style } from './style.js';
import { renderTable, wrap } from './table.js';

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
  const blocks = formatCount(method.blocks, 'block');
  const twice = method.baseline === null ? '' : `, ${method.baseline} twice to show the noise`;
  const fresh = method.target === 'url' ? 'a server that runs already' : 'every run fresh processes';
  const how = `${blocks} in random order, ${fresh}${twice}, seed ${method.seed}, ${formatDuration(method.seconds * 1000)}`;
  const shared = sharing(method.target, environment.cpu.effectiveCpus);
  return [
    color.bold('plimsoll load'),
    ...wrap(machineLine(environment), width).map(color.dim),
    ...wrap(how, width).map(color.dim),
    ...wrap(legend(result), width).map(color.dim),
    ...(shared === null ? [] : wrap(shared, width).map(color.dim)),
    ...(method.interrupted ? [color.yellow('interrupted: what was measured until then')] : []),
  ];
}

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

function tableSection(cells: readonly LoadCell[], { method }: LoadResult, style: Style): string[] {
  const { color, width } = style;
  const [name = '', ...rest] = tableTitle(cells[0] as LoadCell, method.operation);
  const title = wrap(`${name}  ${rest.join(', ')}`, width, '  ');
  const { columns, rows } = loadTable(cells, method.baseline, color.bold);
  const [head = '', ...body] = renderTable(columns, rows, width - 2);
  return [
    color.bold(name) + color.dim((title[0] ?? '').slice(name.length)),
    ...title.slice(1).map(color.dim),
    `  ${color.dim(head)}`,
    ...body.map((line) => `  ${line}`),
    ...cells.flatMap((cell) =>
      happenings(cell).flatMap((text) =>
        wrap(`! ${text}`, width - 2, '  ').map((line) => `  ${color.yellow(line)}`),
      ),
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
  errors: ({ errors, runs }) => {
    const why = runs.find(({ firstFailure }) => firstFailure !== null)?.firstFailure;
    return `${errors} requests or operations failed${why == null ? '' : ` (${printable(why.slice(0, 200))})`}`;
  },
  'worker-died': () => 'a process of the server died under the load',
  dropped: ({ runs }) =>
    `${sum(runs, ({ dropped }) => dropped)} requests were not sent: too many were under way`,
  unfinished: ({ runs }) =>
    `${sum(runs, ({ unfinished }) => unfinished)} requests had no answer at the end; their age counts`,
  'generator-bound': ({ runs, rate }) =>
    rate === null
      ? `the client itself was busy ${percent(Math.max(...runs.map(({ generator }) => generator.utilization)))} % of the time`
      : `the client itself was too busy or too late (${sum(runs, ({ sentLate }) => sentLate)} of ${sum(runs, ({ sent }) => sent)} requests left late)`,
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

const sum = (runs: LoadCell['runs'], pick: (run: LoadCell['runs'][number]) => number): number =>
  runs.reduce((total, run) => total + pick(run), 0);

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

/** Runs that something outside of them disturbed, if any. */
export function disturbed({ cells }: LoadResult): string | null {
  const runs = cells.flatMap((cell) => cell.runs).filter(({ superseded }) => !superseded);
  const hit = runs.filter(({ disturbances }) => disturbances.length > 0);
  if (hit.length === 0) return null;
  const kinds = [...new Set(hit.flatMap(({ disturbances }) => disturbances))];
  return `${hit.length} of ${runs.length} runs were disturbed from outside (${list(kinds.map((kind) => DISTURBANCES[kind] ?? kind))}); measure again on a quieter machine`;
}

function disturbances(result: LoadResult, { color, width }: Style): string[] {
  const text = disturbed(result);
  return text === null ? [] : wrap(`! ${text}`, width, '  ').map((line) => color.yellow(line));
}

/** The recommended size; with too few blocks the one that the estimates lean to, with a tilde. */
export const leaning = ({ size, estimate }: LoadRecommendation): string =>
  size !== null ? String(size) : estimate === null ? '?' : `~${estimate}`;

/** Why; an estimate says how it becomes a verdict. */
export const reason = ({ size, estimate, because }: LoadRecommendation): string =>
  size === null && estimate !== null ? `estimate: ${because} (6 blocks or more give verdicts)` : because;
