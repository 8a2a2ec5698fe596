import {
  type BenchResult,
  busyCpus,
  EQUAL_WITHIN,
  list,
  markdownTable,
  type Verdict,
  type WorkloadResult,
} from '@plimsoll/lab';
import { notesMarkdown } from '../common/notes.js';
import { left, right } from '../common/tables.js';
import { NOTES } from './notes.js';
import { ORIGINAL, ORIGINAL_BASELINE } from './original.js';
import { benchMarkdown } from './result-markdown.js';

/** @param isAnalysedAgain the rounds are older than the analysis. */
export function benchPage(result: BenchResult, isAnalysedAgain: boolean): string {
  return [
    '# What each pool size does to file, crypto, zlib and DNS work',
    '',
    'Measured by `npm run study:bench`; the raw result, every round of it, is [bench.json](bench.json).',
    ...(isAnalysedAgain
      ? [
          '`npm run study:bench -- --from docs/results/bench.json` analysed the rounds again, by rules that may be newer.',
        ]
      : []),
    '',
    ...beside(result),
    '',
    ...agreement(result),
    '',
    ...notesMarkdown(NOTES, result.method.startedAt),
    benchMarkdown(result),
  ].join('\n');
}

interface Row {
  readonly name: string;
  readonly size: number;
  readonly ms: number;
  /** The original's time by that at size 4. */
  readonly originalRatio: number;
  readonly here: WorkloadResult['sizes'][number];
}

function rowsOf({ workloads }: BenchResult): Row[] {
  return Object.entries(ORIGINAL).flatMap(([name, times]) => {
    const sizes = workloads.find((workload) => workload.name === name)?.sizes ?? [];
    const baseline = times[ORIGINAL_BASELINE] as number;
    return Object.entries(times).flatMap(([text, ms]) => {
      const size = Number(text);
      const here = sizes.find((one) => one.size === size);
      return here === undefined ? [] : [{ name, size, ms, originalRatio: ms / baseline, here }];
    });
  });
}

function beside(result: BenchResult): string[] {
  const { environment, method } = result;
  const rows = rowsOf(result).map(({ name, size, ms, originalRatio, here }) => {
    const isBaseline = size === method.baseline;
    return [
      name,
      String(size),
      `${ms.toFixed(0)} ms (${signed(originalRatio)})`,
      `${here.workMs.toFixed(0)} ms`,
      isBaseline
        ? 'baseline'
        : `${signed(here.ratio)} [${here.interval?.map(signed).join(', ') ?? 'unknown'}]`,
      isBaseline ? '' : here.verdict,
      isBaseline ? '' : agreementOf(verdictOfRatio(originalRatio), here.verdict),
    ];
  });
  return [
    '## Beside the original suite',
    '',
    `The original: 12 cores, Node 22.19, one figure per size. Here: ${environment.cpu.effectiveCpus} CPUs, Node ${environment.node.version}. Changes are against size ${ORIGINAL_BASELINE}.`,
    'Its figures have no interval: a change of 3 % or more counts as one.',
    '',
    ...markdownTable(
      [
        left('work'),
        right('size'),
        right('original'),
        right('here'),
        left('change here [interval]'),
        left('verdict here'),
        left('and the original'),
      ],
      rows,
    ),
  ];
}

/** The verdict on a ratio of times that has no interval: all that can be said is whether it is within 3 % of 1. */
function verdictOfRatio(ratio: number): Verdict {
  const log = Math.log(ratio);
  if (Math.abs(log) <= Math.log1p(EQUAL_WITHIN)) return 'same';
  return log < 0 ? 'better' : 'worse';
}

function agreementOf(original: Verdict, here: Verdict): string {
  if (here === 'unclear') return 'unclear';
  return original === here ? 'agrees' : '**differs**';
}

/** What stands behind the changes here: how busy the CPUs were, and what the event loop paid. */
function agreement({ workloads, environment, method }: BenchResult): string[] {
  const { effectiveCpus: cpus } = environment.cpu;
  return [
    '## What the sizes cost',
    '',
    ...workloads.flatMap(({ name, method: how, sizes, recommended, noise }) => {
      const base = sizes.find(({ size }) => size === method.baseline);
      if (base === undefined || how === null) return [];
      const delays = sizes.map(({ eventLoopDelayMs }) => eventLoopDelayMs.p99.toFixed(1));
      const advice = recommended === null ? 'no size can be recommended' : `recommended is ${recommended}`;
      return [
        `- **${name}**: ${base.size} threads keep ${busyCpus(base, how.repetitions).toFixed(1)} of ${cpus} CPUs busy; event-loop delay (p99) at ${list(sizes.map(({ size }) => size))} threads: ${delays.join(', ')} ms; ${advice}; the twin of ${base.size} differs by ${signed(noise?.aaRatio ?? 1)} [${noise?.aaInterval?.map(signed).join(', ') ?? 'unknown'}].`,
      ];
    }),
  ];
}

function signed(ratio: number): string {
  const percent = Math.abs((ratio - 1) * 100).toFixed(1);
  return `${ratio < 1 ? '−' : '+'}${percent} %`;
}
