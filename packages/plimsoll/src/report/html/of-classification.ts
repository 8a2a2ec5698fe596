import type { Classification, PoolVerdict } from '../../results/classification.js';
import { VERDICT_TEXT } from '../classification.js';
import { formatMs } from '../format.js';
import type { Column } from '../table.js';
import { escapeText } from './escape.js';
import type { Render, Section } from './section.js';
import { htmlTable } from './table.js';

const ORDER: readonly PoolVerdict[] = [
  'pool',
  'both',
  'kernel',
  'main thread',
  'unclear',
  'failed',
  'timeout',
];

const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });

const COLUMNS: readonly Column[] = [
  ...['API', 'verdict', 'waits for', 'slow I/O'].map(left),
  { title: 'first call kept the loop busy', align: 'right', expendable: 0 },
  left('observed'),
];

/** The result of `plimsoll classify`: which APIs use the pool, all in one table. */
export const classificationSection: Render<Classification> = (
  { results, size, interrupted },
  id,
): Section => {
  const counts = ORDER.map((verdict) => ({
    verdict,
    count: results.filter((one) => one.verdict === verdict).length,
  }));
  const inOrder = results.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const rows = inOrder.map(({ name, verdict, waitsFor, slowIo, mainThreadMs, explanation }) => [
    name,
    VERDICT_TEXT[verdict],
    waitsFor.join(', '),
    slowIo === null ? '' : slowIo ? 'yes: half of the pool' : 'no',
    mainThreadMs === null ? '–' : formatMs(mainThreadMs),
    explanation,
  ]);
  const told = counts
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${VERDICT_TEXT[verdict]}`);
  return {
    id,
    title: 'Which APIs use the pool',
    kind: 'plimsoll classify',
    verdicts: [],
    body: `<p class="how">all ${size} pool threads were blocked while each ran: ${escapeText(told.join('; '))}${interrupted ? '; interrupted' : ''}</p>
${htmlTable(COLUMNS, rows, { id: `${id}-table`, caption: 'APIs by what they wait for' })}`,
  };
};
