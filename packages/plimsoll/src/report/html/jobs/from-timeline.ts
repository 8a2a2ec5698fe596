import type { Span, Timeline, TimelineExperiment } from '../../../results/timeline.js';
import { formatCount, formatMs, formatNumber } from '../../format.js';
import { familyOf, type Job, type Other, type Panel } from './panel.js';

/** A panel for each experiment of a result, with so many jobs at most. */
export const timelinePanels = (result: Timeline, mostJobs: number): Panel[] =>
  result.experiments.map((experiment) => panelOf(experiment, result.size, mostJobs));

function panelOf(
  { requests, wallMs, spans, observations }: TimelineExperiment,
  size: number,
  most: number,
): Panel {
  const inOrder = spans.toSorted((a, b) => a.submitMs - b.submitMs);
  const drawn = inOrder.slice(0, most);
  const cut = drawn.length < spans.length;
  const durationMs = cut ? Math.max(...drawn.map(({ callbackMs }) => callbackMs)) : wallMs;
  return {
    heading: `${formatCount(requests, 'request')}, ${formatCount(size, 'pool thread')}, ${formatMs(wallMs)}`,
    requests,
    size,
    loops: 1,
    jobs: drawn.filter(({ where }) => where === 'pool').map(jobOf),
    others: drawn.filter(({ where }) => where !== 'pool').map(otherOf),
    durationMs: Math.max(durationMs, 0.001),
    notes: [
      ...observations.map(({ text }) => text),
      ...(cut ? [`the first ${formatNumber(most)} of ${formatNumber(spans.length)} parts are drawn`] : []),
    ],
  };
}

function jobOf(span: Span): Job {
  const { what, inferred, request, submitMs, startMs, endMs, callbackMs, cpuMs, thread, queued } = span;
  const family = familyOf(what, inferred);
  return {
    what: family === 'fs' || family === 'dns' ? `${family}.${what}` : what,
    family,
    owner: `request ${request}`,
    loop: 0,
    submitMs,
    startMs,
    endMs,
    callbackMs,
    cpuMs,
    thread,
    slowIo: family === 'dns',
    inferred,
    queued,
  };
}

/** On the main thread a part may be time that it waited for others' turn, from end to callback: nothing ran for it then. */
const otherOf = ({ what, where, request, startMs, endMs }: Span): Other => ({
  what,
  family: where === 'main' ? 'main' : 'outside',
  owner: `request ${request}`,
  fromMs: startMs,
  toMs: endMs,
});
