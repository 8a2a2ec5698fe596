import { formatFigure } from '@plimsoll/benchmarks/format';
import { markdownTable } from '@plimsoll/lab';
import { type Claim, claimsMarkdown, times, verdictOn } from '../common/claims.js';
import { judge } from '../common/compare.js';
import { type ConditionResult, conditionOf, type StudyResult } from '../common/result.js';
import { againstTable, left, middle, right } from '../common/tables.js';

/** The article's, with Piscina unless it says otherwise: 4 cores, Node 14.2, React of 2020. */
const ORIGINAL = {
  '10': { rate: 5881.7, mean: 1.21, p50: 1, p99: 7, waitMean: 0.02, waitMax: 11 },
  '1000': { rate: 5808.73, mean: 172.01, p50: 148, p99: 438, waitMean: 156.71, waitMax: 351.7 },
} as const;
const ORIGINAL_CORES = 4;

export function findings(result: StudyResult): string[] {
  const { conditions, environment } = result;
  const against = againstTable(conditions, [
    ['plimsoll', 'piscina'],
    ['plimsoll-kept', 'piscina-kept'],
  ]);
  return [
    '## Ours beside Piscina',
    '',
    ...markdownTable(against.columns, against.rows),
    '',
    "## Beside the article's figures",
    '',
    ...beside(result),
    '',
    ...claimsMarkdown(conditions.length > 1 ? claims(result, environment.cpu.effectiveCpus) : []),
  ];
}

function beside(result: StudyResult): string[] {
  const rows = Object.entries(ORIGINAL).flatMap(([id, theirs]) => {
    const condition = conditionOf(result, id);
    if (condition === undefined) return [];
    return Object.entries(theirs).map(([metric, value]) => {
      const { title = metric, digits = 2 } = condition.metrics.find((one) => one.id === metric) ?? {};
      const show = (contender: string): string => formatFigure(middle(condition, contender, metric), digits);
      return [condition.title, title, String(value), show('piscina'), show('plimsoll'), show('none')];
    });
  });
  return markdownTable(
    [
      left(''),
      left('figure'),
      right('the article, Piscina'),
      right('Piscina here'),
      right('ours'),
      right('no pool'),
    ],
    rows,
  );
}

function claims(result: StudyResult, cores: number): Claim[] {
  const [few, many] = [conditionOf(result, '10'), conditionOf(result, '1000')];
  if (few === undefined || many === undefined) return [];
  const rates = judge(many, 'piscina', 'none', 'rate');
  const latencies = judge(many, 'piscina', 'none', 'mean');
  const share = middle(many, 'piscina', 'waitMean') / middle(many, 'piscina', 'mean');
  const renderMs = middle(many, 'none', 'cpu') / 1000;
  const flat = middle(many, 'piscina', 'rate') / middle(few, 'piscina', 'rate');
  return [
    {
      claim: 'with 1,000 connections a pool doubles the rate',
      theirs: '5,800 against about 3,400 requests/s (1.7 ×)',
      here: `${rate(many, 'piscina')} (Piscina), ${rate(many, 'plimsoll')} (ours) against ${rate(many, 'none')} requests/s: ${times(rates)}`,
      verdict: verdictOn(rates, 'better'),
      why: `${connections(many)}the article had ${ORIGINAL_CORES} cores, so that a pool found cores that one thread left idle. Here are ${cores}, which the client shares: without a pool the server's one thread and the client have about a core each, a request costs ${renderMs.toFixed(2)} ms of CPU, and with a pool ${(middle(many, 'piscina', 'cpu') / 1000).toFixed(2)} (Piscina) or ${(middle(many, 'plimsoll', 'cpu') / 1000).toFixed(2)} ms (ours). A pool gains what the client leaves idle of its core, and pays that difference.`,
    },
    {
      claim: 'and cuts the latency in half',
      theirs: '172 ms mean with the pool',
      here: `${ms(many, 'piscina')} (Piscina), ${ms(many, 'plimsoll')} (ours), ${ms(many, 'none')} without: ${times(latencies)}`,
      verdict: verdictOn(latencies, 'better'),
      why: `in a closed loop latency is connections divided by rate, whatever else happens: 1,000 by the rate above. It says what the rate says.`,
    },
    {
      claim: 'the rate stays the same from 10 to 1,000 connections',
      theirs: '5,882 and 5,809 requests/s',
      here: `${rate(few, 'piscina')} and ${rate(many, 'piscina')} requests/s (Piscina), ${rate(few, 'plimsoll')} and ${rate(many, 'plimsoll')} (ours)`,
      verdict: flat > 0.8 && flat < 1.25 ? 'agrees' : 'differs',
      why: rateReason(few, many),
    },
    {
      claim: 'with 1,000 connections most of the latency is the wait in the queue',
      theirs: '157 of 172 ms',
      here: `${middle(many, 'piscina', 'waitMean').toFixed(0)} of ${ms(many, 'piscina')} (Piscina), ${middle(many, 'plimsoll', 'waitMean').toFixed(0)} of ${ms(many, 'plimsoll')} (ours)`,
      verdict: share > 0.5 ? 'agrees' : 'differs',
      why: `the wait's share is ${(share * 100).toFixed(0)} % with Piscina here. The rest stands in front of the server's own event loop, on sockets and before the handler, which no queue of a pool can see.`,
    },
  ];
}

/** A connection that is not accepted is in no latency. */
function connections(many: ConditionResult): string {
  const all = many.parameters.connections ?? 0;
  const served = middle(many, 'none', 'served');
  if (!(served < all)) return '';
  return `without a pool only ${served.toFixed(0)} of ${all} connections were answered at all while a round was measured, against ${middle(many, 'piscina', 'served').toFixed(0)} (Piscina) and ${middle(many, 'plimsoll', 'served').toFixed(0)} (ours): libuv takes one new connection per turn of the loop (since [libuv #3696](https://github.com/libuv/libuv/pull/3696); the article's Node 14 took all that waited), and a turn that renders a page for everyone who is connected is long. So its rate is that of fewer connections, and its latencies are of those alone. Beyond that, `;
}

/** Ten connections may leave moments in which a worker idles, and is stopped. */
function rateReason(few: ConditionResult, many: ConditionResult): string {
  const started = (condition: ConditionResult, contender: string): string =>
    middle(condition, contender, 'workers').toFixed(1);
  return `workers started per second: ${started(few, 'piscina')} at 10 connections and ${started(many, 'piscina')} at 1,000 (Piscina), ${started(few, 'plimsoll')} and ${started(many, 'plimsoll')} (ours). A worker that comes and goes loads React each time. With \`idleTimeout\` 5 s the rate at 10 connections is ${rate(few, 'piscina-kept')} (Piscina) and ${rate(few, 'plimsoll-kept')} (ours): the low queue pressure that the article could not provoke.`;
}

const rate = (condition: ConditionResult, contender: string): string =>
  formatFigure(middle(condition, contender, 'rate'), 0);

const ms = (condition: ConditionResult, contender: string): string =>
  `${middle(condition, contender, 'mean').toFixed(0)} ms`;
