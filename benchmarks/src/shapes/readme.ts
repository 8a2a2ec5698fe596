import { type Column, markdownTable, wrap } from '@plimsoll/lab';
import { formatEstimate } from '../common/format.js';
import { MarkedBlock } from '../common/marked-block.js';
import type { BenchPoolResult } from '../result.js';
import { RESULT } from './arguments.js';
import { CONDITIONS } from './case.js';
import { type Cell, cellsOf, placeIn, summaryOf } from './cells.js';

const PAGE = `https://github.com/plimsoll-js/plimsoll/blob/main/${RESULT}.md`;
const NODE = 24;
/** The shapes that people ask about first; the worst one comes beside them. */
const SHOWN = ['object', 'records-10kb', 'text-1mb', 'buffer-1mb', 'moved-10mb', 'dictionary', 'integers'];

export const README_BLOCK = new MarkedBlock('shapes', 'npm run bench:pool -- shapes --readme');

const WIDTH = 120;

const column = (title: string, align: Column['align']): Column => ({ title, align, expendable: 0 });

/** The table of the README of the pool: some shapes on one line of Node, and the worst cell of all. */
export function readmeTable(results: readonly BenchPoolResult[]): string {
  const cells = results.flatMap(cellsOf);
  const summary = summaryOf(cells);
  const isShown = ({ environment }: BenchPoolResult): boolean =>
    environment.node.version.startsWith(`${NODE}.`);
  const shown = results.find(isShown) ?? results[0];
  if (summary === null || shown === undefined) throw new Error('no shape was measured');
  const { worst } = summary;
  const ofNode = cellsOf(shown);
  const names = SHOWN.includes(worst.shape.name) ? SHOWN : [...SHOWN, worst.shape.name];
  const rows = names.flatMap((name) => {
    const ofShape = ofNode.filter(({ shape }) => shape.name === name);
    const [first] = ofShape;
    return first === undefined
      ? []
      : [[first.shape.title, ...CONDITIONS.map(({ id }) => textOf(ofShape, id))]];
  });
  const [line] = worst.node.split('.');
  return [
    ...wrap(
      `Tasks per second divided by those of Piscina ${shown.versions.piscina}, on Node ${shown.environment.node.version} with two workers and one or up to 64 tasks in flight, after V8 has compiled the hot code. In the first second of a process both pools are slower; with small values this pool is several times slower than later. The median of [all ${cells.length} cells](${PAGE}) is ${summary.median.toFixed(2)}, the worst is ${formatEstimate(worst.rate)} (${worst.shape.title}; ${placeIn(worst)}; Node ${line}).`,
      WIDTH,
    ),
    '',
    ...markdownTable(
      [column('value', 'left'), ...CONDITIONS.map(({ title }) => column(title, 'right'))],
      rows,
    ),
  ].join('\n');
}

function textOf(cells: readonly Cell[], id: string): string {
  const cell = cells.find(({ condition }) => condition.id === id);
  return cell === undefined ? '–' : formatEstimate(cell.rate);
}
