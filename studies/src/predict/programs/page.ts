// From the results of the programs to their part of the page.
import { HELD_OUT, PROGRAM_NAMES } from '../held-out.js';
import type {
  ComparedSize,
  Held,
  MeasuredSize,
  ProgramPrediction,
  ProgramResult,
  SkippedProgram,
} from './result.js';
import { summaryOf, targetsOf } from './summary.js';

const percent = (value: number): string => (Number.isNaN(value) ? '–' : `${(100 * value).toFixed(1)} %`);
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)} %`;
const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
const names = (all: readonly string[]): string => all.map((name) => `\`${name}\``).join(', ');

/** The rule, which was there before any result. */
export function halvesMarkdown(): string[] {
  const seen = PROGRAM_NAMES.filter((name) => !HELD_OUT.includes(name));
  return [
    'Every second program in alphabetical order, the second first, is held out: the model is never tuned on it. The choice was',
    'committed before the model was made to answer in requests and operations. The synthetic workloads were in view when the',
    'first model was written, so none of them can be held out. One of the held-out programs, `express-bcrypt`, was tried with',
    'that first model.',
    '',
    `- held out: ${names(HELD_OUT)}`,
    `- seen: ${names(seen)}`,
    '',
  ];
}

/** Everything that the page says of programs; of a result without any, only how they were chosen. */
export function programsMarkdown(
  results: readonly ProgramResult[],
  skipped: readonly SkippedProgram[],
): string[] {
  if (results.length + skipped.length === 0)
    return ['## Programs from npm', '', 'This result has none of them.', '', ...halvesMarkdown()];
  const held = results.filter(({ isHeldOut }) => isHeldOut);
  const seen = results.filter(({ isHeldOut }) => !isHeldOut);
  return [
    '## Programs from npm',
    '',
    'Programs that nobody here wrote, pinned in `studies/programs`, behind small servers and scripts of ours. Each is recorded',
    'with 4 threads under its usual traffic, and all sizes are predicted from that. Measured without a recorder: servers of all',
    'sizes stay alive and have slices of the same traffic in turn, commands run in randomised blocks.',
    '',
    ...halvesMarkdown(),
    ...targetTable(held, seen),
    ...skippedMarkdown(skipped),
    ...missesMarkdown(results),
    ...results.flatMap(section),
  ];
}

function targetTable(held: readonly ProgramResult[], seen: readonly ProgramResult[]): string[] {
  const ofSeen = targetsOf(summaryOf(seen));
  const verdict = (isMet: boolean | null): string =>
    isMet === null ? '' : isMet ? ' reached' : ' **missed**';
  return [
    '| what | target | held out | seen |',
    '| --- | --- | --- | --- |',
    ...targetsOf(summaryOf(held)).map(({ what, target, reached, isMet }, index) => {
      const other = ofSeen[index];
      return `| ${what} | ${target} | ${reached}${verdict(isMet)} | ${other?.reached}${verdict(other?.isMet ?? null)} |`;
    }),
    '',
    'Without the sizes that were recorded. The p99 is held against measurements of 60 units or more, throughput only where answers',
    'decide when the next request comes: an open stream has that of its arrivals. Sizes that do not keep up with the arrivals',
    'have no latency to compare. A target that follows from the spread of runs is that of the held-out half.',
    '',
    'A prediction carries what its recorded run met. Where the factor by which that run differed from the measured runs of the same',
    `size is taken off, the median error of the mean latency is ${percent(summaryOf(held).shape)} on the held-out half, ${percent(summaryOf(seen).shape)} on the other.`,
    '',
  ];
}

function skippedMarkdown(skipped: readonly SkippedProgram[]): string[] {
  if (skipped.length === 0) return [];
  const why = { 'not-installed': 'could not be installed', failed: 'failed' };
  return [
    'Not measured:',
    '',
    ...skipped.map(({ name, because, reason }) => `- \`${name}\` ${why[because]}: ${reason}`),
    '',
  ];
}

/** What each program misses, by its own figures. */
function missesMarkdown(results: readonly ProgramResult[]): string[] {
  const lines = results.flatMap((result) => {
    const missed = targetsOf(summaryOf([result])).filter(({ isMet }) => isMet === false);
    const what = missed.map((one) => `${one.what} ${one.reached} (${one.target})`).join('; ');
    return missed.length === 0
      ? []
      : [`- \`${result.name}\`${result.isHeldOut ? ', held out' : ''}: ${what}.${because(result)}`];
  });
  return lines.length === 0 ? [] : ['### What is missed, and where', '', ...lines, ''];
}

/** Recorded runs that differ by no more from what was measured met the same machine. */
const SAME_RUN = 0.1;

/** What the figures themselves say of the reason. */
function because({ predictions }: ProgramResult): string {
  const costs = predictions.map(({ recorderCost }) => recorderCost);
  return costs.every((cost) => Math.abs(cost) <= SAME_RUN)
    ? ''
    : ` The recorded runs took ${costs.map(signed).join(', ')} against the measured ones of their size: the recorder, or another machine.`;
}

function section(result: ProgramResult): string[] {
  const { name, isHeldOut, what, packages, measured, predictions, twin, unit } = result;
  const [first] = measured;
  const pace = first?.perSecond == null ? 'makespan ms' : 'a second';
  return [
    `### ${name}`,
    '',
    `${what.slice(0, 1).toUpperCase()}${what.slice(1)}. ${packages.length === 0 ? 'Node’s own' : packages.join(', ')}; ${isHeldOut ? 'held out' : 'seen'}. ` +
      `A unit is one ${unit}. ${result.noSizeHelps ? 'No size helps.' : 'The size matters.'} A/A twin, mean: ${figure(twin)} ×.`,
    '',
    `| size | mean ms | p99 ms | ${pace} | spread of mean | errors: mean | p99 | pace |`,
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...measured.map((one) => row(one, predictions)),
    '',
    ...predictions.map(predictionLine),
    '',
  ];
}

function row(one: MeasuredSize, predictions: readonly ProgramPrediction[]): string {
  const compared = predictions.flatMap((prediction) =>
    prediction.compared.filter(({ size }) => size === one.size),
  );
  const errors = (pick: (of: ComparedSize) => Held | null): string => {
    const held = compared.flatMap((of) => pick(of) ?? []);
    return held.length === 0
      ? ''
      : held.map(({ error, inBand }) => signed(error) + (inBand ? '' : ' *')).join(', ');
  };
  return `| ${[
    one.size,
    figure(one.mean) + (one.isOverloaded ? ' (overloaded)' : ''),
    one.p99 === null ? '–' : figure(one.p99),
    figure(one.perSecond ?? one.makespanMs ?? Number.NaN),
    one.runs === 1 ? '–' : percent(one.spread.mean),
    errors(({ mean }) => mean),
    errors(({ p99 }) => p99),
    errors(({ pace }) => pace),
  ].join(' | ')} |`;
}

function predictionLine(one: ProgramPrediction): string {
  const cost = `The recorded run took ${signed(one.recorderCost)} by the mean.`;
  if (one.recommended === null) return `- Nothing used the pool, so no size helps. ${cost}`;
  const { size, confidence } = one.recommended;
  const none = one.saysNoSizeHelps ? ', which promises no gain' : '';
  return `- **${size}** (${confidence})${none}, by ${one.basis}; regret ${percent(one.regret ?? Number.NaN)}. ${cost}`;
}
