import { formatCount, formatMs } from '../../format.js';
import { escapeText } from '../escape.js';
import { ticksOf } from './axis.js';
import { isWait, type Job, type Panel } from './panel.js';
import { type Bar, type Row, rowsOf } from './rows.js';

const GAP = 3;
const AXIS = 20;
/** Wide enough for `event loop 2`. */
const LABELS = 84;

/**
 * A panel as two drawings side by side: names of the rows in pixels, and their bars in percent of the width, so that text and
 * patterns keep their size however wide the page is. The script zooms by computing the percentages anew.
 *
 * @param toMs time at the right end, the same for all panels of one timeline.
 * @param id unique in the page.
 */
export function drawPanel(panel: Panel, toMs: number, id: string): string {
  const { rows, leftOut } = rowsOf(panel, titleOf);
  const tops = topsOf(rows);
  const bottom = tops.at(-1) ?? 0;
  const height = bottom + AXIS;
  const percentOf = (ms: number): string => String(Number(((ms / toMs) * 100).toFixed(3)));
  const bars = rows.map((row, index) => rowOf(row, tops[index] ?? 0, percentOf)).join('');
  const notes = [...panel.notes, ...leftOut].map((note) => `<li>${escapeText(note)}</li>`).join('');
  return `<section class="jobs-panel"><h3>${escapeText(panel.heading)}</h3><div class="jobs-picture">
<svg class="jobs-rows" width="${LABELS}" height="${height}" aria-hidden="true">${rows.map((row, index) => labelOf(row, tops[index] ?? 0)).join('')}</svg>
<svg class="jobs-plane" data-plane width="100%" height="${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${escapeText(panel.heading)}</title><desc id="${id}-d">${escapeText(describe(panel))}</desc>
<g data-axis>${axisOf(toMs, bottom)}</g>${bars}</svg></div>
${notes === '' ? '' : `<ul class="jobs-notes">${notes}</ul>`}</section>`;
}

/** The top of each row, and the bottom of the last. */
function topsOf(rows: readonly Row[]): number[] {
  const tops = [GAP];
  for (const { height, ceiling } of rows)
    tops.push((tops.at(-1) ?? 0) + height + GAP + (ceiling === undefined ? 0 : CEILING));
  return tops;
}

const CEILING = 14;

const labelOf = ({ label, height }: Row, top: number): string =>
  label === '' ? '' : `<text x="${LABELS - 8}" y="${top + height / 2 + 4}" text-anchor="end">${label}</text>`;

function rowOf({ bars, height, ceiling }: Row, top: number, percentOf: (ms: number) => string): string {
  const drawn = bars.map((bar) => barOf(bar, top, height, percentOf)).join('');
  const track = `<rect class="track" data-fixed width="100%" y="${top}" height="${height}"/>`;
  if (ceiling === undefined) return track + drawn;
  const y = top + height + GAP;
  const line = `<line class="ceiling" data-fixed x2="100%" y1="${y}" y2="${y}"/>`;
  return `${track}${drawn}${line}<text class="ceiling" data-fixed x="4" y="${y + 11}">${escapeText(ceiling)}</text>`;
}

function barOf(bar: Bar, top: number, height: number, percentOf: (ms: number) => string): string {
  const { state, family, fromMs, toMs, inferred, title } = bar;
  const half = state === 'finished';
  const classes = `${state} ${family}${inferred ? ' inferred' : ''}`;
  const box = `x="${percentOf(fromMs)}%" width="${percentOf(toMs - fromMs)}%" y="${half ? top + height - 5 : top}" height="${half ? 5 : height}"`;
  return `<rect class="${classes}" ${box}><title>${escapeText(title)}</title></rect>`;
}

const axisOf = (toMs: number, bottom: number): string =>
  ticksOf(0, toMs)
    .map(
      ({ x, label, anchor }) =>
        `<line x1="${x}" x2="${x}" y2="${bottom}"/><text x="${x}" text-anchor="${anchor}" y="${bottom + 14}">${label}</text>`,
    )
    .join('');

function titleOf(job: Job): string {
  const { what, owner, submitMs, startMs, endMs, callbackMs, cpuMs, thread, inferred } = job;
  const started = formatMs(startMs - submitMs);
  return [
    owner === '' || owner === what ? what : `${what}, ${owner}`,
    isWait(job) ? `waited ${started}` : `started after ${started}`,
    `ran ${formatMs(endMs - startMs)}${thread === null ? '' : ` on thread ${thread}`}`,
    ...(cpuMs === null ? [] : [`CPU ${formatMs(cpuMs)}`]),
    `then ${formatMs(callbackMs - endMs)} until the event loop took it`,
    ...(inferred ? ['inferred'] : []),
  ].join(' · ');
}

/** What a picture shows, for who does not see it. */
function describe({ jobs, size, durationMs, others }: Panel): string {
  const waits = jobs.filter(isWait).map((job) => job.startMs - job.submitMs);
  const outside = others.filter(({ family }) => family === 'outside').length;
  return [
    `${formatCount(jobs.length, 'job')} on ${formatCount(size, 'pool thread')} in ${formatMs(durationMs)}`,
    waits.length === 0
      ? 'none waited for a thread'
      : `${waits.length} waited for a thread, at most ${formatMs(Math.max(...waits))}`,
    ...(outside === 0 ? [] : [`${formatCount(outside, 'wait')} outside the process`]),
  ].join('; ');
}
