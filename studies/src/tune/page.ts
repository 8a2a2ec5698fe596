import { environmentLines, formatDuration, markdownTable, median } from '@plimsoll/lab';
import { left, right } from '../common/tables.js';
import { PROGRAMS, type Program } from './catalogue.js';
import {
  AGREE_WITHIN,
  errorsOf,
  nullRules,
  type ProgramRow,
  rowOf,
  type SizeRow,
  type Summary,
  summaryOf,
} from './compare.js';
import { BASELINE } from './plan.js';
import type { CostPair, ErrorRate, ErrorRates, TuneStudyResult } from './result.js';

const TARGETS = {
  median: 0.02,
  worst: 0.08,
  ratioMedian: 0.05,
  ratioP90: 0.1,
  verdicts: 0.8,
  seconds: 60,
  cost: 0.98,
};

/** The page docs/results/tune.md, derived from the result alone. */
export function tunePage(result: TuneStudyResult): string {
  const { environment, versions, seconds, startedAt, cost, errors } = result;
  const rows = result.programs.flatMap((program) => rowOf(program) ?? []);
  const heldOut = rows.filter(({ program }) => program.heldOut);
  const seen = rows.filter(({ program }) => !program.heldOut);
  return [
    '# How right plimsoll tune is',
    '',
    'Measured by `npm run study:tune`; every slice is in [tune.json](tune.json).',
    ...(result.effort === 'full'
      ? []
      : ['', '**A quick run: it proves that the study works, and nothing else.**']),
    '',
    ...INTRODUCTION,
    '',
    '## What was asked, and what came out',
    '',
    ...(heldOut.length === 0
      ? ['No program of the held-out half was measured.']
      : targets(heldOut, rows, cost, environment.cpu.effectiveCpus)),
    '',
    '## Rules of thumb beside it',
    '',
    'By how much the chosen size is slower than the best, by mean latency or wall time.',
    '',
    ...rules('held out', heldOut, environment.cpu.effectiveCpus),
    '',
    ...rules('seen', seen, environment.cpu.effectiveCpus),
    '',
    '## Program by program',
    '',
    ...overview(rows),
    '',
    ...failures(result),
    ...rows.flatMap(program),
    ...(cost === null ? [] : costLines(cost)),
    ...(errors === null ? [] : errorLines(errors)),
    '## Where and how',
    '',
    ...environmentLines(environment, versions),
    `- ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
    '',
  ].join('\n');
}

const INTRODUCTION = [
  'Programs from npm behind small servers and scripts, pinned in `studies/programs`. Truth: separate processes with real pool sizes',
  '1, 2, 4, 8, 16 and 64 and a second one of size 4, which have slices of the same requests in turn, before and after `plimsoll tune`',
  'measures one process of its own in the same minutes. Latencies are those that the server sees. Commands run in fresh processes;',
  'the first run is dropped, and disks are synced before each block.',
  '',
  'Half of the programs are held out: the list was committed before `tune` was first run on any of them. Slow disks and distant name',
  'servers are real delays without CPU: system calls that strace delays, and lookups that a private name server answers late.',
];

const percent = (share: number): string =>
  Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : 'overload';
const verdict = (reached: boolean): string => (reached ? 'reached' : '**missed**');

function targets(
  heldOut: readonly ProgramRow[],
  rows: readonly ProgramRow[],
  cost: readonly CostPair[] | null,
  cores: number,
): string[] {
  const tune = summaryOf(heldOut);
  const errors = errorsOf(rows);
  const servers = rows.filter(({ program }) => program.kind === 'server');
  const verdicts = servers.filter(({ hasVerdict }) => hasVerdict).length;
  const slowest = Math.max(...servers.map(({ answer }) => answer.seconds));
  const rivals = nullRules(cores).map(({ size }) => summaryOf(heldOut, () => size));
  const isBest = rivals.every(
    ({ medianRegret, worstRegret }) => tune.medianRegret <= medianRegret && tune.worstRegret <= worstRegret,
  );
  const worst = tune.worstWhereRunsAgree;
  const lines: [string, string, string, boolean][] = [
    [
      'median regret, held out',
      `≤ ${percent(TARGETS.median)}`,
      percent(tune.medianRegret),
      tune.medianRegret <= TARGETS.median,
    ],
    [
      `worst regret, held out, where runs agree within ${percent(AGREE_WITHIN)} (${tune.agreeing} of ${tune.programs})`,
      `≤ ${percent(TARGETS.worst)}`,
      worst === null ? 'none agrees' : percent(worst),
      worst !== null && worst <= TARGETS.worst,
    ],
    [
      'no rule of thumb has a lower median or worst regret, held out',
      'none',
      isBest ? 'none' : 'one has',
      isBest,
    ],
    [
      `error of ${errors.ratios} ratios to size 4, median`,
      `≤ ${percent(TARGETS.ratioMedian)}`,
      percent(errors.median),
      errors.median <= TARGETS.ratioMedian,
    ],
    [
      'the same, 90th percentile',
      `≤ ${percent(TARGETS.ratioP90)}`,
      percent(errors.p90),
      errors.p90 <= TARGETS.ratioP90,
    ],
    [
      'servers with a verdict',
      `≥ ${percent(TARGETS.verdicts)}`,
      `${verdicts} of ${servers.length}`,
      verdicts >= TARGETS.verdicts * servers.length,
    ],
    [
      'longest answer of a server',
      `≤ ${TARGETS.seconds} s`,
      `${slowest.toFixed(0)} s`,
      Math.floor(slowest) <= TARGETS.seconds,
    ],
    ...(cost === null
      ? []
      : cost.map(({ server, ...pair }): [string, string, string, boolean] => {
          const { ratio, low, high } = costRatio(pair);
          return [
            `throughput with an idle controller, ${server}`,
            `≥ ${TARGETS.cost}`,
            `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
            ratio >= TARGETS.cost,
          ];
        })),
  ];
  return markdownTable(
    [left('what'), left('target'), right('figure'), left('')],
    lines.map(([what, target, figure, reached]) => [what, target, figure, verdict(reached)]),
  );
}

function rules(half: string, rows: readonly ProgramRow[], cores: number): string[] {
  if (rows.length === 0) return [];
  const line = (name: string, { medianRegret, worstRegret, worstWhereRunsAgree }: Summary): string[] => [
    name,
    percent(medianRegret),
    percent(worstRegret),
    worstWhereRunsAgree === null ? '–' : percent(worstWhereRunsAgree),
  ];
  return markdownTable(
    [left(`${half} (${rows.length})`), right('median'), right('worst'), right('worst where runs agree')],
    [
      line('plimsoll tune', summaryOf(rows)),
      ...nullRules(cores).map(({ name, size }) =>
        line(
          name,
          summaryOf(rows, () => size),
        ),
      ),
    ],
  );
}

const bestOf = (sizes: readonly SizeRow[]): number =>
  sizes.reduce((best, row) => ((row.truth ?? Infinity) < (best.truth ?? Infinity) ? row : best)).size;

const overview = (rows: readonly ProgramRow[]): string[] =>
  markdownTable(
    [
      left('program'),
      left('half'),
      right('best'),
      right('tune'),
      right('regret'),
      right('always 4'),
      left('confidence'),
      right('s'),
      right('twin'),
    ],
    rows.map((row) => [
      row.program.name,
      row.program.heldOut ? 'held out' : 'seen',
      String(bestOf(row.sizes)),
      row.answer.recommended === null ? `${BASELINE} (cannot tell)` : String(row.chosen),
      percent(row.regret),
      percent(summaryOf([row], () => BASELINE).medianRegret),
      row.answer.confidence,
      row.answer.seconds.toFixed(0),
      row.twin.ratio.toFixed(2),
    ]),
  );

function failures({ programs }: TuneStudyResult): string[] {
  const failed = programs.filter(({ failure }) => failure !== null);
  const missing = PROGRAMS.filter(({ name }) => !programs.some((program) => program.name === name));
  return [
    ...failed.map(({ name, failure }) => `- \`${name}\` failed: ${failure}`),
    ...missing.map(({ name }) => `- \`${name}\` was not measured.`),
    ...(failed.length + missing.length > 0 ? [''] : []),
  ];
}

const trafficOf = (program: Program): string => {
  if (program.kind === 'command') return `${program.units} units in a process`;
  const { connections, rate } = program.requests;
  return rate === undefined ? `${connections} connections` : `${rate} requests a second`;
};

function program({ program, sizes, answer }: ProgramRow): string[] {
  const what = `${program.what.slice(0, 1).toUpperCase()}${program.what.slice(1)}`;
  return [
    `### ${program.name}`,
    '',
    `${what}. ${trafficOf(program)}. ${program.packages.join(', ') || "Node's own functions"}; ${program.heldOut ? 'held out' : 'seen'}.`,
    `\`tune\`, after ${answer.seconds.toFixed(0)} s: ${answer.headline}`,
    '',
    ...markdownTable(
      [right('size'), right('truth'), left('95 %'), right('tune'), right('error')],
      sizes.map((row) => [
        String(row.size),
        row.overloaded ? 'overload' : ratio(row.truth),
        row.interval === null ? '' : `[${ratio(row.interval[0])}, ${ratio(row.interval[1])}]`,
        row.leftEarly ? `${ratio(row.tune)} (left early)` : ratio(row.tune),
        row.truth === null || row.tune === null ? '' : percent(Math.abs(row.tune / row.truth - 1)),
      ]),
    ),
    '',
  ];
}

const ratio = (value: number | null): string => (value === null ? '–' : value.toFixed(2));

function costRatio({ without, withController }: Omit<CostPair, 'server'>): {
  ratio: number;
  low: number;
  high: number;
} {
  const logs = withController.map((rate, pair) => Math.log(rate / (without[pair] as number)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const half = 2 * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

const costLines = (cost: readonly CostPair[]): string[] => [
  '## What being measured costs',
  '',
  'Two processes of a server, one with the controller of `tune` in it that does not change the size, have slices of traffic in turn;',
  'each pair is of fresh processes. Requests a second that the clients counted; ± two standard errors.',
  '',
  ...markdownTable(
    [left('server'), right('pairs'), right('without'), right('with'), right('ratio')],
    cost.map(({ server, ...pair }) => {
      const { ratio, low, high } = costRatio(pair);
      return [
        server,
        String(pair.without.length),
        median(pair.without).toFixed(0),
        median(pair.withController).toFixed(0),
        `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
      ];
    }),
  ),
  '',
];

const errorLines = ({ simulated, real }: ErrorRates): string[] => [
  '## How often it is wrong where nothing differs, and where 5 % does',
  '',
  'Simulated windows go through the judge that decides in `tune`; real ones are of a server that never has two jobs. False verdict: a',
  'size was called better or worse than the baseline, and is not. Wrong answer: the recommended size is more than 5 % slower than the best;',
  'where no real size is slower than another, there is none.',
  '',
  ...markdownTable(
    [
      left('contests'),
      right('number'),
      right('false verdicts'),
      right('wrong answers'),
      right('planted 5 % found'),
    ],
    [...simulated, { ...real, wrongAnswers: null }].map(
      ({ what, contests, falseVerdicts, wrongAnswers, detected }: ErrorRate) => [
        what,
        String(contests),
        percent(falseVerdicts / contests),
        wrongAnswers === null ? '' : percent(wrongAnswers / contests),
        detected === null ? '' : percent(detected / contests),
      ],
    ),
  ),
  '',
];
