import { markdownTable } from '@plimsoll/lab';
import { type Claim, claimsMarkdown, times, verdictOn } from '../common/claims.js';
import { judge } from '../common/compare.js';
import { type ConditionResult, conditionOf, type StudyResult } from '../common/result.js';
import { againstTable, middle } from '../common/tables.js';

export function findings(result: StudyResult): string[] {
  const [low, high] = [conditionOf(result, 'low'), conditionOf(result, 'high')];
  if (low === undefined || high === undefined) return [];
  const pairs = (settings: readonly string[]) =>
    settings.map((setting) => [`plimsoll-${setting}`, `piscina-${setting}`] as const);
  const ofLow = againstTable([low], pairs(['asitcomes', 'minthreads', 'idletimeout']));
  const ofHigh = againstTable([high], pairs(['50', '90', '150']));
  return [
    '## What the measure says, and what it does not',
    '',
    ...lessons(low, high),
    '',
    '## Beside the article',
    '',
    'It defines the measure and has no figures on it.',
    '',
    ...claimsMarkdown(claims(low, high)),
    '',
    '## Ours beside Piscina',
    '',
    ...markdownTable(ofLow.columns, [...ofLow.rows, ...ofHigh.rows]),
  ];
}

function lessons(low: ConditionResult, high: ConditionResult): string[] {
  const pressure = (load: string): string => middle(high, `plimsoll-${load}`, 'pressure').toFixed(2);
  const busy = (load: string): string => `${middle(high, `plimsoll-${load}`, 'utilization').toFixed(0)} %`;
  return [
    `- Above what the pool can do, pressure is the overload: at 150 % it reads ${pressure('150')}.`,
    `- Below, it reads about 1 whatever the load: ${pressure('50')} at 50 % and ${pressure('90')} at 90 %, where the worker is busy for ${busy('50')} and ${busy('90')} of the time. What goes out cannot exceed for long what comes in. A pool with too little to do shows in \`utilization\` and in workers that come and go, not here: the bursts with their idle moments read ${middle(low, 'plimsoll-asitcomes', 'pressure').toFixed(2)}.`,
    `- It does not say how long tasks wait: at 90 % they wait ${middle(high, 'plimsoll-90', 'waitMean').toFixed(1)} ms, at 50 % ${middle(high, 'plimsoll-50', 'waitMean').toFixed(1)} ms, at the same pressure.`,
  ];
}

function claims(low: ConditionResult, high: ConditionResult): Claim[] {
  const started = (contender: string): string => middle(low, contender, 'workers').toFixed(2);
  const churn = middle(low, 'piscina-asitcomes', 'workers');
  const kept = judge(low, 'piscina-minthreads', 'piscina-asitcomes', 'cpu');
  const timeout = judge(low, 'piscina-idletimeout', 'piscina-asitcomes', 'cpu');
  const oursKept = judge(low, 'plimsoll-minthreads', 'plimsoll-asitcomes', 'cpu');
  const faster = judge(low, 'piscina-minthreads', 'piscina-asitcomes', 'mean');
  const waits = judge(high, 'piscina-150', 'piscina-50', 'waitMean');
  return [
    {
      claim: 'at low pressure workers are stopped and started anew, which is expensive',
      theirs: 'no figure; Piscina had just been changed so that it hardly happens',
      here: `workers started per burst: ${started('piscina-asitcomes')} (Piscina), ${started('plimsoll-asitcomes')} (ours); keeping them takes ${times(kept)} the CPU (Piscina), ${times(oursKept)} (ours)`,
      verdict: churn > 0.5 ? verdictOn(kept, 'better') : 'differs',
      why:
        churn > 0.5
          ? 'with `idleTimeout` 0 Piscina stops a worker at once that idles while nothing waits, and the next burst pays for its successor.'
          : 'workers that may be stopped were not stopped in these pauses.',
    },
    {
      claim: '`minThreads` or `idleTimeout` prevent that',
      theirs: 'no figure',
      here: `workers started per burst: ${started('piscina-minthreads')} and ${started('piscina-idletimeout')} (Piscina), ${started('plimsoll-minthreads')} and ${started('plimsoll-idletimeout')} (ours)`,
      verdict:
        middle(low, 'piscina-minthreads', 'workers') < 0.1 &&
        middle(low, 'piscina-idletimeout', 'workers') < 0.1
          ? 'agrees'
          : 'differs',
      why: `with either the CPU falls to ${times(kept)} and ${times(timeout)} with Piscina, and a burst takes ${times(faster)} the time.`,
    },
    {
      claim: 'high pressure shows in the queue wait',
      theirs: '0.02 to 157 ms (mean) from 10 to 1,000 connections',
      here: `wait mean at 50, 90 and 150 %: ${['50', '90', '150'].map((load) => middle(high, `piscina-${load}`, 'waitMean').toFixed(1)).join(', ')} ms (Piscina), ${['50', '90', '150'].map((load) => middle(high, `plimsoll-${load}`, 'waitMean').toFixed(1)).join(', ')} ms (ours)`,
      verdict: verdictOn(waits, 'worse'),
      why: 'above what the pool can do the wait grows for as long as the load lasts; what is read depends on when.',
    },
  ];
}
