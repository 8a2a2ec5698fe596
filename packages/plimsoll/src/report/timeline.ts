import { printable } from '../host/printable.js';
import type { Span, Timeline, TimelineExperiment } from '../results/timeline.js';
import { formatCount, formatMs } from './format.js';
import type { Style } from './style.js';
import { wrap } from './table.js';
import { axis, bar, type Part } from './timeline-bars.js';

const GLYPH: Record<
  Part,
  { sign: string; color: 'cyan' | 'yellow' | 'green' | 'red' | 'dim'; means: string }
> = {
  pool: { sign: '█', color: 'cyan', means: 'on a pool thread' },
  inferred: { sign: '▒', color: 'cyan', means: 'on a pool thread, inferred' },
  queue: { sign: '░', color: 'red', means: 'waiting in the queue' },
  'queue-inferred': { sign: '┄', color: 'red', means: 'waiting in the queue, inferred' },
  loop: { sign: '·', color: 'yellow', means: 'waiting for the event loop' },
  main: { sign: '▓', color: 'yellow', means: 'on the main thread' },
  outside: { sign: '─', color: 'green', means: 'waiting outside the process' },
};

/** `100 `, the number of a request, in front of its bar. */
const LABEL = 5;
const NOTE = 27;

/** The picture of every experiment, all on one time axis, and what each shows. */
export function timelineReport(result: Timeline, style: Style): string {
  const { experiments } = result;
  const toMs = Math.max(...experiments.map(({ wallMs }) => wallMs), 1);
  const used = new Set<Part>();
  const pictures = experiments.map((experiment) => picture(experiment, result, toMs, used, style));
  return [header(result, style), ...pictures, legend(used, style)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function header(
  { operation, description, environment, interrupted }: Timeline,
  { color, width }: Style,
): string[] {
  const { node, cpu } = environment;
  const facts = `Node ${node.version} · libuv ${node.libuv} · ${cpu.effectiveCpus} CPUs`;
  return [
    color.bold(`plimsoll classify --draw ${printable(operation)}`),
    ...wrap(printable(description), width).map(color.dim),
    ...wrap(facts, width).map(color.dim),
    ...(interrupted ? [color.yellow('interrupted: only complete experiments are shown')] : []),
  ];
}

function picture(
  { requests, wallMs, timings, spans, observations }: TimelineExperiment,
  { size, observedThreads }: Timeline,
  toMs: number,
  used: Set<Part>,
  { width, color }: Style,
): string[] {
  const cells = Math.max(10, width - LABEL - NOTE);
  const threads = `${formatCount(size, 'pool thread')}${observedThreads === null ? ' (not counted)' : ''}`;
  const title = `${formatCount(requests, 'request')}, ${threads}`;
  const rows = timings.map(({ request, startMs, endMs }) => {
    const own = spans.filter((span) => span.request === request);
    const parts = bar(own, toMs, cells);
    for (const part of parts) if (part !== null) used.add(part);
    const note = `${formatMs(endMs - startMs).padStart(8)}  ${color.dim(noteOf(own))}`;
    return `${String(request).padStart(LABEL - 2)}  ${draw(parts, color)} ${note}`;
  });
  return [
    `${color.bold(title)} ${color.dim(`in ${formatMs(wallMs)}`)}`,
    ...rows,
    color.dim(' '.repeat(LABEL) + axis(toMs, cells)),
    ...observations.flatMap(({ text }) => {
      const [first = '', ...rest] = wrap(text, width - 4);
      return [`  ${color.green('→')} ${first}`, ...rest.map((line) => `    ${line}`)];
    }),
  ];
}

/** Cells as text; neighbours of one kind share their colour's escapes. */
function draw(parts: readonly (Part | null)[], color: Style['color']): string {
  let line = '';
  for (let from = 0, to = 0; from < parts.length; from = to) {
    const part = parts[from] as Part | null;
    while (to < parts.length && parts[to] === part) to++;
    line +=
      part === null ? ' '.repeat(to - from) : color[GLYPH[part].color](GLYPH[part].sign.repeat(to - from));
  }
  return line;
}

/** Where a request was, as short as a line's end allows. */
function noteOf(spans: readonly Span[]): string {
  const pool = spans.filter(({ where }) => where === 'pool');
  const threads = [...new Set(pool.flatMap(({ thread }) => thread ?? []))].sort((a, b) => a - b);
  const cpu = pool.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0);
  if (threads.length > 0) {
    const which = threads.length === 1 ? `thread ${threads[0]}` : `${threads.length} threads`;
    return `${which}, CPU ${cpu.toFixed(0)}`;
  }
  if (pool.length > 0) return pool.length === 1 ? (pool[0] as Span).what : `${pool.length} jobs`;
  const outside = spans.find(({ where }) => where === 'kernel');
  if (outside !== undefined) return printable(outside.what).slice(0, NOTE - 12);
  return spans.length > 0 ? 'main thread' : '';
}

function legend(used: ReadonlySet<Part>, { width, color }: Style): string[] {
  const items = (Object.keys(GLYPH) as Part[])
    .filter((part) => used.has(part))
    .map((part) => `${GLYPH[part].sign} ${GLYPH[part].means}`);
  return wrap(
    [...items, ...(used.has('pool') ? ['CPU in ms'] : [])]
      .map((item) => item.replaceAll(' ', '\u00a0'))
      .join('  '),
    width,
  ).map((line) => color.dim(line.replaceAll('\u00a0', ' ').trimEnd()));
}
