import { sum } from '../collections/sum.js';
import type { Span, Timeline, TimelineExperiment } from '../results/timeline.js';
import { findingsBlock, type Report, type Section, type Stretch } from './document.js';
import { formatCount, formatMs } from './format.js';

export function timelineDocument(result: Timeline): Report {
  const { operation, description, environment, interrupted, experiments } = result;
  const toMs = Math.max(...experiments.map(({ wallMs }) => wallMs), 1);
  return {
    command: 'plimsoll classify --draw',
    subject: operation,
    environment,
    about: [description],
    warning: interrupted ? 'interrupted: only complete experiments are shown' : null,
    sections: experiments.map((experiment) => picture(experiment, result, toMs)),
  };
}

function picture(
  { requests, wallMs, timings, spans, observations }: TimelineExperiment,
  { size, observedThreads }: Timeline,
  toMs: number,
): Section {
  const threads = `${formatCount(size, 'pool thread')}${observedThreads === null ? ' (not counted)' : ''}`;
  const title = `${formatCount(requests, 'request')}, ${threads} in ${formatMs(wallMs)}`;
  const rows = timings.map(({ request, startMs, endMs }) => {
    const requestSpans = spans.filter((span) => span.request === request);
    return {
      label: String(request),
      stretches: requestSpans.flatMap(stretches),
      time: formatMs(endMs - startMs),
      note: noteOf(requestSpans),
    };
  });
  return {
    title,
    blocks: [
      { kind: 'bars', caption: title, toMs, rows },
      ...findingsBlock(observations.map(({ text }) => ({ text, severity: 'advice' }))),
    ],
  };
}

function stretches({ where, inferred, submitMs, startMs, endMs, callbackMs }: Span): Stretch[] {
  if (where === 'kernel') return [{ part: 'outside', fromMs: startMs, toMs: endMs }];
  const on = where === 'main' ? 'main' : inferred ? 'inferred' : 'pool';
  return [
    { part: inferred ? 'queue-inferred' : 'queue', fromMs: submitMs, toMs: startMs },
    { part: on, fromMs: startMs, toMs: endMs },
    { part: 'loop', fromMs: endMs, toMs: callbackMs },
  ];
}

function noteOf(spans: readonly Span[]): string {
  const pool = spans.filter(({ where }) => where === 'pool');
  const threads = [...new Set(pool.flatMap(({ thread }) => thread ?? []))];
  const cpu = sum(pool.map(({ cpuMs }) => cpuMs ?? 0));
  if (threads.length > 0)
    return `${threads.length === 1 ? `thread ${threads[0]}` : `${threads.length} threads`}, CPU ${cpu.toFixed(0)}`;
  if (pool.length > 0) return pool.length === 1 ? (pool[0] as Span).what : `${pool.length} jobs`;
  const outside = spans.find(({ where }) => where === 'kernel');
  return outside?.what ?? (spans.length > 0 ? 'main thread' : '');
}
