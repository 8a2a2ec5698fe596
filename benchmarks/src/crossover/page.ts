import {
  type Column,
  type Environment,
  environmentLines,
  formatDuration,
  markdownTable,
} from '@plimsoll/lab';
import { formatEstimate, formatFigure } from '../common/format.js';
import type { Effort } from '../support/effort.js';
import { RIVALS, TITLES } from './arms.js';
import { type Measured, VALUES } from './cells.js';
import { crossoverOf, hostTime, timesInline } from './compare.js';
import { crossoverText, lengthText } from './words.js';

/** What the JSON beside the page has, too. */
export interface CrossoverResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'pool-crossover';
  readonly environment: Environment;
  readonly versions: Readonly<Record<string, string>>;
  readonly effort: Effort;
  readonly blocks: number;
  readonly seconds: number;
  readonly cells: readonly Measured[];
}

const column = (title: string, align: 'left' | 'right' = 'right'): Column => ({
  title,
  align,
  expendable: 0,
});
const heads = RIVALS.map((rival) => column(TITLES[rival]));

export function page(
  result: CrossoverResult,
  files: { readonly json: string; readonly picture: string },
): string {
  const { cells, blocks, effort, seconds, environment, versions } = result;
  const twins = cells.map((cell) => timesInline(cell, 'twin').value);
  const place = ({ value, length }: Measured): string[] => [value, lengthText(length)];
  const time = (microseconds: number): string => formatFigure(microseconds, microseconds < 100 ? 1 : 0);
  return [
    '# From which length of tasks a pool pays',
    '',
    ...(effort === 'full'
      ? []
      : [
          `**Estimates of a ${effort} run with ${blocks} block${blocks === 1 ? '' : 's'}.** \`npm run bench:pool -- crossover\` replaces them.`,
          '',
        ]),
    'Two workers are faster than the main thread by itself for tasks of this length and more:',
    '',
    ...markdownTable(
      [column('value', 'left'), ...heads],
      VALUES.map(({ name }) => [
        name,
        ...RIVALS.map((rival) => crossoverText(crossoverOf(cells, name, rival))),
      ]),
    ),
    '',
    `![Tasks a second in times inline, over the length of tasks](${files.picture})`,
    '',
    `What that means for a tool: [Should my tool use this pool?](../guide/should-my-tool-use-this-pool.md) Measured by \`npm run bench:pool -- crossover\`; every window is in [${files.json}](${files.json}).`,
    '',
    '## Tasks a second, in times inline',
    '',
    `More is better. Above 1 it pays; 2 is the most that two workers can give. Inline beside itself (A/A twin): ${Math.min(...twins).toPrecision(3)} to ${Math.max(...twins).toPrecision(3)}.`,
    '',
    ...markdownTable(
      [column('value', 'left'), column('task'), ...heads],
      cells.map((cell) => [
        ...place(cell),
        ...RIVALS.map((rival) => {
          const estimate = timesInline(cell, rival);
          return estimate.value >= 1 ? `**${formatEstimate(estimate)}**` : formatEstimate(estimate);
        }),
      ]),
    ),
    '',
    '## What the main thread spends on a task',
    '',
    'Microseconds of CPU. Less is better: the rest of the time it is free for others, also where a pool gives no more tasks a second.',
    '',
    ...markdownTable(
      [column('value', 'left'), column('task'), column('inline'), ...heads],
      cells.map((cell) => [
        ...place(cell),
        ...(['inline', ...RIVALS] as const).map((arm) => time(hostTime(cell, arm))),
      ]),
    ),
    '',
    '## How',
    '',
    '- A task computes for so long (the length, by a loop that is calibrated first), gets a value and gives it back: records with five fields, 100 B each as JSON; 1, 100 and 10,000 of them. The pools and processes copy them there and back, the main thread does not.',
    '- **Inline** is a loop on the main thread. The pools have two workers, and so many tasks in flight from a closed loop: 64, 16 of 1 MB, 8 where a task takes 1 ms and more. **Child processes** are two of `child_process.fork` with its default serialization, JSON; a task goes to the one that has less to do.',
    `- All are alive at once in one process and take turns by windows of 60 to 250 ms, in random order, every second block reversed; ${blocks} blocks. A figure is the Hodges–Lehmann estimate of the paired windows with its exact interval of signed ranks, 95 % unless another level is named.`,
    '- The length from which on somebody pays is where the line between two lengths, on logarithmic scales, crosses 1.',
    ...environmentLines(environment, versions),
    `- ${formatDuration(seconds * 1000)} in all`,
    '',
  ].join('\n');
}
