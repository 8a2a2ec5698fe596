import { formatMs, percent } from '../format.js';
import { escapeText } from './escape.js';

/** Where time went, in the order in which it passes. */
export const PARTS = [
  { key: 'queueWaitMs', name: 'waiting for a pool thread' },
  { key: 'coreWaitMs', name: 'waiting for a core' },
  { key: 'cpuMs', name: 'on CPU' },
  { key: 'blockedMs', name: 'blocked' },
  { key: 'eventLoopMs', name: 'waiting for the event loop' },
] as const;

export type Budget = Readonly<Record<(typeof PARTS)[number]['key'], { readonly mean: number }>>;

export interface StackRow {
  readonly label: string;
  readonly budget: Budget;
}

/** The mean time of a job, stacked by where it went, a bar each; bars share one scale. */
export function drawTimeStack(rows: readonly StackRow[], caption: string): string {
  const totals = rows.map(({ budget }) => PARTS.reduce((sum, { key }) => sum + budget[key].mean, 0));
  const most = Math.max(...totals, Number.MIN_VALUE);
  const legend = PARTS.map(
    ({ key, name }) =>
      `<li><svg width="14" height="14" aria-hidden="true"><rect class="${key}" width="14" height="14"/></svg>${name}</li>`,
  );
  const bars = rows.map(({ label, budget }, index) => {
    let at = 0;
    const total = totals[index] as number;
    const parts = PARTS.map(({ key, name }) => {
      const { mean } = budget[key];
      const [x, width] = [(at / most) * 100, (mean / most) * 100];
      at += mean;
      const title = `${name}: ${formatMs(mean)}, ${percent(total === 0 ? 0 : mean / total)} %`;
      return width < 0.05
        ? ''
        : `<rect class="${key}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="20"><title>${title}</title></rect>`;
    });
    return `<div class="stack-row"><span class="stack-label">${escapeText(label)}</span><svg width="100%" height="20" role="img" aria-label="${escapeText(`${label}: ${describe(budget)}`)}">${parts.join('')}</svg><span class="num">${formatMs(total)}</span></div>`;
  });
  return `<figure class="stack"><figcaption>${escapeText(caption)}</figcaption><ul class="legend">${legend.join('')}</ul>${bars.join('')}</figure>`;
}

const describe = (budget: Budget): string =>
  PARTS.map(({ key, name }) => `${name} ${formatMs(budget[key].mean)}`).join(', ');

/** Hatched: a job that waits is not at work. Once for all stacks of a page. */
export const STACK_PATTERNS = `<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>${[
  'queueWaitMs',
  'coreWaitMs',
  'eventLoopMs',
]
  .map(
    (key, index) =>
      `<pattern id="stack-${key}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(${45 + 45 * index})"><rect width="6" height="6" class="${key} ground"/><rect width="3" height="6" class="${key} mark"/></pattern>`,
  )
  .join('')}</defs></svg>`;
