import { type Style, terminalStyle } from '@plimsoll/lab';
import { formatEstimate } from '../common/format.js';
import { exitCodeOf, measureOrders } from '../measure.js';
import { caseReport } from '../report/terminal.js';
import type { BenchPoolResult, CaseResult } from '../result.js';
import type { Arguments } from './arguments.js';
import { CONDITIONS } from './case.js';
import { cellsOf, ENOUGH, failuresOf } from './cells.js';
import { addResult, writeReadme } from './files.js';
import { MEMORY_CASE } from './memory.js';
import { headlines } from './page.js';

/** `npm run bench:pool -- shapes`. @returns its exit code. */
export async function benchShapes(args: Arguments): Promise<number> {
  if (args.readme) {
    writeReadme(args.page as string);
    return 0;
  }
  const style = { ...terminalStyle(process.stdout), width: process.stdout.columns ?? 200 };
  const orders = args.nodes.map((node) => ({ ...args, node }));
  const results: BenchPoolResult[] = [];
  const show = (one: CaseResult): void => {
    process.stdout.write(one.name === MEMORY_CASE.name ? `${caseReport(one, style)}\n` : lineOf(one, style));
  };
  for await (const result of measureOrders(orders, show)) {
    results.push(result);
    process.stdout.write(`Node ${result.environment.node.version}, ${result.cases.length} cases\n\n`);
    if (args.page !== null && !result.interrupted) addResult(args.page, result);
  }
  const problems = results.flatMap(failuresOf);
  process.stdout.write(`${[...headlines(results.flatMap(cellsOf)), ...problems].join('\n')}\n`);
  return Math.max(...results.map(exitCodeOf));
}

/** `object with 3 keys   in, one 8.01 [7.90, 8.11]   …` */
function lineOf({ title, rows }: CaseResult, { color }: Style): string {
  const ours = rows.find(({ contender }) => contender === 'plimsoll');
  const figures = CONDITIONS.map(({ id, title: condition }) => {
    const estimate = ours?.times[id];
    if (!estimate) return `${condition} –`;
    const text = `${condition} ${formatEstimate(estimate)}`;
    return estimate.value < ENOUGH ? color.red(text) : text;
  });
  return `${[color.bold(title), ours?.without, ...figures].filter(Boolean).join('   ')}\n`;
}
