import type { Timeline } from '../../../results/timeline.js';
import type { Trace } from '../../../results/trace.js';
import { formatNumber } from '../../format.js';
import { countsTable } from './counts.js';
import { drawPanel } from './draw.js';
import { timelinePanels } from './from-timeline.js';
import { tracePanels } from './from-trace.js';
import { legendOf, patterns } from './legend.js';
import type { Panel } from './panel.js';

export { JOB_STYLES } from './styles.js';

/** A timeline of jobs for a report: what it is of, and its HTML. */
export interface JobTimeline {
  readonly title: string;
  readonly html: string;
}

/** So many pictures, and jobs in all of them, keep a report below a hundred kilobytes of drawings. */
const MOST_PANELS = 16;
const MOST_JOBS = 320;
const MOST_JOBS_PER_PANEL = 160;

interface Group {
  readonly title: string;
  readonly panels: Panel[];
}

/**
 * Where each job of the pool spent its time, drawn: one timeline for each operation or traced command. Results of one operation
 * at several sizes share a timeline, one above the other on one time scale. Other documents are passed over.
 *
 * @param documents results and kept traces as they were read, in any order.
 * @example
 * jobTimelines([timelineResult])[0]?.title; // 'pbkdf2'
 */
export function jobTimelines(documents: readonly object[]): JobTimeline[] {
  const sources = documents.filter((document) => isTimeline(document) || isTrace(document));
  const most = Math.min(MOST_JOBS_PER_PANEL, Math.ceil(MOST_JOBS / Math.max(1, countPanels(sources))));
  const groups = new Map<string, Group>();
  for (const source of sources) {
    const title = isTimeline(source) ? source.operation : source.command.join(' ');
    const key = isTimeline(source) ? `timeline ${title} ${source.description}` : `trace ${title}`;
    const group = groups.get(key) ?? { title, panels: [] };
    groups.set(key, group);
    group.panels.push(...(isTimeline(source) ? timelinePanels(source, most) : tracePanels(source, most)));
  }
  return [...groups.values()]
    .filter(({ panels }) => panels.length > 0)
    .map((group, index) => ({ title: group.title, html: htmlOf(group, index) }));
}

const isTimeline = (document: object): document is Timeline =>
  'experiments' in document && 'operation' in document;

/** A kept trace; the summary of one has programs instead, without their jobs. */
const isTrace = (document: object): document is Trace => 'processes' in document && 'command' in document;

const countPanels = (sources: readonly (Timeline | Trace)[]): number =>
  sources.reduce(
    (sum, source) => sum + (isTimeline(source) ? source.experiments : source.processes).length,
    0,
  );

/** Pictures with the same number of requests stand together, by size. */
function htmlOf({ panels }: Group, index: number): string {
  const inOrder = panels.toSorted((a, b) => a.requests - b.requests || a.size - b.size);
  const drawn = inOrder.slice(0, MOST_PANELS);
  const id = `jobs-${index + 1}`;
  const toMs = Math.max(...drawn.map(({ durationMs }) => durationMs));
  const left = panels.length - drawn.length;
  return `${index === 0 ? patterns() : ''}<div class="jobs" data-timeline data-ms="${toMs}">${legendOf(drawn)}
${drawn.map((panel, at) => drawPanel(panel, toMs, `${id}-${at + 1}`)).join('\n')}
${left > 0 ? `<p>${formatNumber(left)} more pictures are left out.</p>` : ''}</div>
${countsTable(drawn, `${id}-counts`)}`;
}
