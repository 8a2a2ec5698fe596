import { printable } from '../host/printable.js';
import type { Classification, Classified, PoolVerdict } from '../results/classification.js';
import { formatCount, formatMs } from './format.js';
import type { Style } from './style.js';
import { wrap } from './table.js';

/** In the order in which people read them. */
const GROUPS: readonly [PoolVerdict, string][] = [
  ['pool', 'Use the thread pool'],
  ['both', 'Use the thread pool, then wait for the kernel too'],
  ['kernel', 'Do not use it: completed while every pool thread was blocked'],
  ['main thread', 'Done on the main thread, before the event loop turned'],
  ['failed', 'Failed'],
  ['timeout', 'Never completed'],
  ['unclear', 'Unclear'],
];

const PAINT: Record<PoolVerdict, 'cyan' | 'magenta' | 'green' | 'yellow' | 'red'> = {
  pool: 'cyan',
  both: 'magenta',
  kernel: 'green',
  'main thread': 'yellow',
  failed: 'red',
  timeout: 'red',
  unclear: 'red',
};

/** So few are explained without being asked. */
const EXPLAINED = 2;
/** A half, for the half of the pool that slow I/O may use. */
const SLOW = '½';
const LABEL = 15;
const OTHERS = 'others';

/** What uses the pool and what does not, as lists for a terminal; a few results with their explanations. */
export function classificationReport(result: Classification, style: Style, explain = false): string {
  const { results } = result;
  const sections = [
    header(result, style),
    ...(explain || results.length <= EXPLAINED
      ? results.map((one) => explained(one, style))
      : GROUPS.map(([verdict, title]) => group(verdict, title, result, style))),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function header(result: Classification, { color, width }: Style): string[] {
  const { environment, results, seconds, size } = result;
  const count = formatCount(results.length, 'operation');
  const facts =
    `Node ${environment.node.version} · libuv ${environment.node.libuv} · ` +
    `all ${size} pool threads blocked in open(2) · ${count} in ${formatMs(seconds * 1000)}`;
  return [
    color.bold('plimsoll classify'),
    ...wrap(facts, width).map(color.dim),
    ...(result.interrupted ? [color.yellow('interrupted: these were decided by then')] : []),
  ];
}

function group(verdict: PoolVerdict, title: string, { results }: Classification, style: Style): string[] {
  const members = results.filter((one) => one.verdict === verdict);
  if (members.length === 0) return [];
  const { color } = style;
  const heading = `${color.bold(color[PAINT[verdict]](title))} ${color.dim(`(${members.length})`)}`;
  if (verdict === 'failed' || verdict === 'timeout' || verdict === 'unclear')
    return [heading, ...members.flatMap((one) => entryWithReason(one, style))];
  const kinds = [...new Set(members.map(label))].sort((a, b) => Number(a === OTHERS) - Number(b === OTHERS));
  const lines = kinds.flatMap((kind) =>
    list(
      kind,
      members.filter((one) => label(one) === kind),
      style,
    ),
  );
  const legend = members.some(({ slowIo }) => slowIo)
    ? [color.dim(`  ${SLOW} slow I/O: only half of the pool serves these, rounded up`)]
    : [];
  return [heading, ...lines, ...legend];
}

/** The line of a group that a result belongs to: a module of Node, what it waits for, or how long it blocks. */
function label({ verdict, name, waitsFor }: Classified): string {
  if (verdict === 'kernel') return waitsFor.length === 0 ? 'nothing' : waitsFor.join(', ');
  if (verdict === 'both') return waitsFor.filter((kind) => kind !== 'pool').join(', ');
  return name.includes('#') || !name.includes('.') ? OTHERS : (name.split('.')[0] as string);
}

function list(kind: string, members: readonly Classified[], { width, color }: Style): string[] {
  const indent = ' '.repeat(LABEL + 2);
  const prefix = `${kind}.`;
  const names = members.map((one) => {
    const { name } = one;
    return printable(name.startsWith(prefix) ? name.slice(prefix.length) : name) + note(one);
  });
  return flow(names, width - LABEL - 2).map((line, index) =>
    index === 0 ? `  ${color.dim(kind.padEnd(LABEL))}${line}` : indent + line,
  );
}

/** Lines of at most `width` characters, the items two spaces apart. */
function flow(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = lines.length === 0 ? item : `${lines.at(-1)}  ${item}`;
    if (longer.length <= width) lines.splice(-1, 1, longer);
    else lines.push(item);
  }
  return lines;
}

function note({ verdict, slowIo, mainThreadMs }: Classified): string {
  if (slowIo) return ` ${SLOW}`;
  return verdict === 'main thread' && mainThreadMs !== null && mainThreadMs >= 1
    ? ` (${formatMs(mainThreadMs)})`
    : '';
}

function entryWithReason({ name, explanation }: Classified, { width, color }: Style): string[] {
  const lines = wrap(printable(explanation), width - 4);
  return [`  ${color.bold(printable(name))}`, ...lines.map((line) => `    ${line}`)];
}

export const VERDICT_TEXT: Record<PoolVerdict, string> = {
  pool: 'uses the thread pool',
  both: 'uses the thread pool, then waits for the kernel too',
  kernel: 'does not use the thread pool',
  'main thread': 'runs on the main thread',
  failed: 'failed',
  timeout: 'never completed',
  unclear: 'unclear',
};

function explained(one: Classified, { width, color }: Style): string[] {
  const { name, call, verdict, slowIo, mainThreadMs, explanation, alternative } = one;
  const facts = [
    ...(slowIo ? ['slow I/O: at most half of the pool, rounded up, serves it'] : []),
    ...(mainThreadMs === null ? [] : [`first call kept the event loop busy for ${formatMs(mainThreadMs)}`]),
  ];
  const paragraph = (text: string): string[] => wrap(printable(text), width - 2).map((line) => `  ${line}`);
  return [
    `${color.bold(printable(name))}  ${color[PAINT[verdict]](VERDICT_TEXT[verdict])}`,
    ...paragraph(call).map((line) => color.dim(line)),
    ...paragraph(explanation),
    ...(alternative === null ? [] : paragraph(`Without it: ${alternative}.`)),
    ...(facts.length === 0 ? [] : paragraph(facts.join('; ')).map((line) => color.dim(line))),
  ];
}
