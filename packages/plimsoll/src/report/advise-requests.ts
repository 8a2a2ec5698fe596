import { printable } from '../host/printable.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type { Advice, PredictedRequests, Prediction } from '../results/advice.js';
import { between } from './advise-band.js';
import { formatCount, formatMs, formatRate, percent } from './format.js';
import type { Style } from './style.js';
import { type Column, renderTable, wrap } from './table.js';

const right = (title: string, expendable = 0): Column => ({ title, align: 'right', expendable });
const left = (title: string, expendable = 0): Column => ({ title, align: 'left', expendable });

interface Row {
  readonly one: Prediction;
  readonly requests: PredictedRequests;
  readonly low: PredictedRequests;
  readonly high: PredictedRequests;
}

interface Field {
  readonly column: Column;
  readonly text: (row: Row) => string;
}

/** A figure that grows for ever is none. */
const unless =
  (text: (row: Row) => string, instead = '–'): Field['text'] =>
  (row) =>
    row.requests.isOverloaded ? instead : text(row);

const FIELDS: readonly Field[] = [
  { column: right('size'), text: ({ one }) => String(one.size) },
  { column: right('mean'), text: unless(({ requests }) => formatMs(requests.latencyMs.mean), 'overload') },
  {
    column: left('band'),
    text: unless(({ low, high }) => between(low.latencyMs.mean, high.latencyMs.mean), ''),
  },
  { column: right('p50', 5), text: unless(({ requests }) => formatMs(requests.latencyMs.p50)) },
  { column: right('p95', 7), text: unless(({ requests }) => formatMs(requests.latencyMs.p95)) },
  { column: right('p99'), text: unless(({ requests }) => formatMs(requests.latencyMs.p99)) },
  {
    column: left('band', 3),
    text: unless(({ low, high }) => between(low.latencyMs.p99, high.latencyMs.p99), ''),
  },
  { column: right('requests/s'), text: ({ requests }) => formatRate(requests.perSecond) },
  {
    column: left('band', 6),
    text: ({ low, high }) => between(low.perSecond, high.perSecond, formatRate),
  },
  { column: right('loop delay', 1), text: ({ one }) => formatMs(one.eventLoopDelayMs.p99) },
];

/** What users feel at each size, and by route at those that are compared; nothing where the program was asked nothing. */
export function requestLines(advice: Advice, style: Style): string[] {
  const { color, width } = style;
  const rows = advice.predictions.flatMap((one): Row[] => {
    const { requests, low, high } = one;
    if (requests === null || low.requests === null || high.requests === null) return [];
    return [{ one, requests, low: low.requests, high: high.requests }];
  });
  if (rows.length === 0) return [];
  const isChosen = ({ one }: Row): boolean => one.size === advice.recommended.size;
  const cells = rows.map((row) =>
    FIELDS.map(({ text }) => (isChosen(row) && text(row) !== '' ? color.bold(text(row)) : text(row))),
  );
  const [head = '', ...body] = renderTable(
    FIELDS.map(({ column }) => column),
    cells,
    width - 4,
  );
  return [
    color.bold('What users would feel: requests'),
    ...wrap(recordedLine(advice), width - 2).map((line) => `  ${color.dim(line)}`),
    `    ${color.dim(head)}`,
    ...body.map(
      (line, index) => `  ${advice.recommended.size === rows[index]?.one.size ? '→' : ' '} ${line}`,
    ),
    ...routeLines(advice, rows, style),
  ];
}

function recordedLine({ trace: { requests, size } }: Advice): string {
  if (requests === null) return '';
  const { count, measured, fromClients, unanswered, unsampled } = requests;
  const clients =
    fromClients === 0 ? '' : `, ${percent(fromClients / count)} % from clients that wait for their answers`;
  const left = unanswered === 0 ? '' : `, ${unanswered} without an answer`;
  const whole = unsampled === 0 ? '' : `, ${count - unsampled} recorded whole`;
  const took =
    measured === null
      ? ''
      : `: ${formatMs(measured.latencyMs.mean)} on average, p99 ${formatMs(measured.latencyMs.p99)}, ${formatRate(measured.perSecond)} a second`;
  return `recorded at ${size}: ${formatCount(count, 'request')}${clients}${left}${whole}${took}`;
}

const MOST_ROUTES = 8;

/** By route: at the recommended size, the default and the recorded one. */
function routeLines({ recommended, trace }: Advice, rows: readonly Row[], { color, width }: Style): string[] {
  const routes = rows[0]?.requests.routes ?? [];
  if (routes.length < 2) return [];
  const sizes = new Set([recommended.size, DEFAULT_POOL_SIZE, trace.size]);
  const shown = rows.filter(({ one }) => sizes.has(one.size));
  const cells = routes.slice(0, MOST_ROUTES).flatMap(({ route, count }) =>
    shown.map(({ one, requests, low, high }, index) => {
      const of = (all: PredictedRequests) => all.routes.find((other) => other.route === route);
      const [own, near, far] = [of(requests), of(low), of(high)];
      if (own === undefined || near === undefined || far === undefined || requests.isOverloaded)
        return [
          index === 0 ? label(route, width) : '',
          String(count),
          String(one.size),
          'overload',
          '',
          '–',
          '',
        ];
      return [
        index === 0 ? label(route, width) : '',
        index === 0 ? String(count) : '',
        String(one.size),
        formatMs(own.latencyMs.mean),
        between(near.latencyMs.mean, far.latencyMs.mean),
        formatMs(own.latencyMs.p99),
        formatRate(own.perSecond),
      ];
    }),
  );
  const columns = [
    left('by route'),
    right('', 3),
    right('size'),
    right('mean'),
    left('band'),
    right('p99'),
    right('/s', 2),
  ];
  const [head = '', ...body] = renderTable(columns, cells, width - 4);
  const rest = routes.length - MOST_ROUTES;
  return [
    `    ${color.dim(head)}`,
    ...body.map((line) => `    ${line}`),
    ...(rest > 0 ? [color.dim(`    and ${formatCount(rest, 'route')} more, in the JSON`)] : []),
  ];
}

/** The end of a route says less than its beginning. */
function label(route: string, width: number): string {
  const most = Math.max(12, width - 58);
  const shown = [...printable(route)];
  return shown.length <= most ? shown.join('') : `${shown.slice(0, most - 1).join('')}…`;
}

const MOST_OPERATIONS = 8;

/** Without requests: what the program called, at the sizes that are compared. */
export function operationLines(
  { predictions, recommended, trace }: Advice,
  { color, width }: Style,
): string[] {
  const [first] = predictions;
  if (first === undefined || first.requests !== null || first.operations.length === 0) return [];
  const sizes = new Set([recommended.size, DEFAULT_POOL_SIZE, trace.size]);
  const shown = predictions.filter(({ size }) => sizes.has(size));
  const cells = first.operations.slice(0, MOST_OPERATIONS).flatMap(({ name, count }) =>
    shown.map(({ size, operations, low, high }, index) => {
      const of = (all: Prediction['operations']) => all.find((other) => other.name === name)?.latencyMs;
      const [own, near, far] = [of(operations), of(low.operations), of(high.operations)];
      return [
        index === 0 ? label(name, width) : '',
        index === 0 ? String(count) : '',
        String(size),
        formatMs(own?.mean ?? 0),
        between(near?.mean ?? 0, far?.mean ?? 0),
        formatMs(own?.p99 ?? 0),
        between(near?.p99 ?? 0, far?.p99 ?? 0),
      ];
    }),
  );
  const columns = [
    left(''),
    right('calls', 2),
    right('size'),
    right('mean'),
    left('band'),
    right('p99'),
    left('band', 3),
  ];
  const [head = '', ...body] = renderTable(columns, cells, width - 4);
  return [
    color.bold('What it called: operations'),
    `    ${color.dim(head)}`,
    ...body.map((line) => `    ${line}`),
  ];
}
