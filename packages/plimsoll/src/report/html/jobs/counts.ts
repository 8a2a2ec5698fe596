import { formatMs } from '../../format.js';
import { escapeText } from '../escape.js';
import { type Family, families, isWait, type Job, type Panel } from './panel.js';

const HEADERS = ['Picture', 'Kind', 'Jobs', 'Waited', 'Longest wait', 'Mean on a thread', 'Mean until taken'];

/** The jobs of the pictures by kind: what the pictures show, as figures. Empty where no job went to the pool. */
export function countsTable(panels: readonly Panel[], id: string): string {
  const rows = panels.flatMap((panel) =>
    families.flatMap((family) => {
      const jobs = panel.jobs.filter((job) => job.family === family);
      return jobs.length === 0 ? [] : [rowOf(panel, family, jobs)];
    }),
  );
  if (rows.length === 0) return '';
  const head = HEADERS.map(
    (text, index) => `<th scope="col"${index < 2 ? '' : ' class="num"'}>${text}</th>`,
  ).join('');
  return `<div class="scroll"><table id="${id}" data-sortable><caption>Jobs in these pictures</caption>
<thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>
<button type="button" data-copy="${id}" hidden>Copy as Markdown</button>`;
}

function rowOf({ heading }: Panel, family: Family, jobs: readonly Job[]): string {
  const waits = jobs.filter(isWait).map(({ submitMs, startMs }) => startMs - submitMs);
  const figures = [
    String(jobs.length),
    String(waits.length),
    waits.length === 0 ? '–' : formatMs(Math.max(...waits)),
    formatMs(mean(jobs.map(({ startMs, endMs }) => endMs - startMs))),
    formatMs(mean(jobs.map(({ endMs, callbackMs }) => callbackMs - endMs))),
  ];
  const cells = figures.map((text) => `<td class="num">${text}</td>`).join('');
  return `<tr><th scope="row">${escapeText(heading)}</th><td>${family}</td>${cells}</tr>`;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
