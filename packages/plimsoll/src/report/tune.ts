import type { TunedSize, TuneResult } from '../results/tune.js';
import type { Curve, Report, Section, Table, Verdict } from './document.js';
import { CONFIDENCE_TONE, column, findingsBlock, notes, titled } from './document.js';
import { objectiveText, sizeIn } from './findings/tune.js';
import * as format from './format.js';
import * as sizing from './sizes.js';

const { change, formatChange, formatCount, formatMs } = format;
const { NONE, VERDICT_TONE } = sizing;

export function tuneDocument(result: TuneResult): Report {
  const { environment, method, confidence, findings, sizes } = result;
  return {
    command: 'plimsoll tune',
    subject: subject(result),
    environment,
    about: [howTuned(result), method.traffic && `requests: ${method.traffic}`, twinText(result)],
    verdicts: [verdictOf(result)],
    sections: [
      { blocks: [{ kind: 'headline', text: headlineText(result), tone: CONFIDENCE_TONE[confidence] }] },
      { blocks: sizes.length === 0 ? [] : [...curves(result), sizesTable(result)] },
      ...routesSection(result),
      ...titled('Why', findingsBlock(findings)),
      lineToCopy(result),
    ],
  };
}

const subject = ({ command, pid }: TuneResult): string =>
  command === null ? `process ${pid}` : command.join(' ');

/** `…; sizes take turns in short windows in random order, 4 twice (A/A), seed 7; 12 blocks, 57 s: the answer was known` */
function howTuned({ method, baseline }: TuneResult): string {
  const { mode, blocks, seconds, stop, resizing, processes, seed } = method;
  const pools =
    processes === null || processes === 1
      ? "the running app's pool is"
      : `the pools of ${processes} running processes are`;
  const turns =
    mode === 'runs'
      ? 'fresh processes of all sizes in random order'
      : `${pools} resized${resizing === null ? '' : ` (${resizing})`}; sizes take turns in short windows in random order`;
  return `${turns}, ${baseline} twice (A/A), seed ${seed}; ${formatCount(blocks, 'block')}, ${format.formatDuration(seconds * 1000)}: ${sizing.STOPPED[stop]}`;
}

const twinText = ({ twin, baseline }: TuneResult): string | null =>
  twin &&
  `A/A: a second measurement of ${baseline} differs by ${formatChange(twin.ratio, twin.interval)}${twin.noisy ? ', too noisy to tell' : ''}`;

const headlineText = ({ headline, confidence }: TuneResult): string =>
  confidence === 'sure' || headline.startsWith('Keep') ? `${headline} (${confidence})` : headline;

function verdictOf(result: TuneResult): Verdict {
  const { recommended, confidence, answer, headline, objective, findings } = result;
  const chosen = sizeIn(result, recommended);
  const ratio = chosen?.ratio[objective] ?? null;
  const interval = chosen?.interval ?? null;
  const why = findings.find(({ id }) => id === 'tune.route-slower' || id === 'tune.queue-wait');
  const isChange = answer === 'change' && ratio !== null;
  return {
    ...{ work: subject(result), size: recommended, confidence },
    sign: recommended === null ? '?' : `${confidence === 'sure' ? '' : '~'}${recommended}`,
    gain: isChange && interval !== null ? formatChange(ratio, interval) : '',
    sure: chosen?.chanceSlower == null || answer === 'no pool use' ? '' : sizing.wrongBy(chosen.chanceSlower),
    because: isChange ? `by ${objectiveText(result)}${why === undefined ? '' : `; ${why.text}`}` : headline,
  };
}

function curves(result: TuneResult): Curve[] {
  const { objective, baseline, recommended, environment, sizes } = result;
  const curve = (
    title: string,
    figure: (size: TunedSize) => number | null,
    text?: Curve['format'],
  ): Curve => {
    const points = sizes.flatMap((one) => {
      const { size } = one;
      const value = figure(one);
      if (value === null || value <= 0) return [];
      if (text !== undefined) return [{ size, value, interval: null, text: text(value) }];
      const interval = size === baseline ? ([1, 1] as const) : one.interval;
      return [{ size, value, interval, text: recordedAt(one, objective) }];
    });
    return sizing.sizeCurve(title, points, recommended, environment, text);
  };
  const text = objectiveText(result);
  const title = `${text.charAt(0).toUpperCase()}${text.slice(1)} against ${baseline}`;
  return [
    curve(title, ({ ratio }) => ratio[objective]),
    curve('Job wait for a pool thread', ({ queueWaitMs }) => queueWaitMs.fast, formatMs),
    curve('Event-loop delay (p99)', ({ loopDelayMs }) => loopDelayMs?.p99 ?? null, formatMs),
  ].filter(({ points }) => points.length > 1);
}

const recordedAt = ({ meanMs, p99Ms, perSecond }: TunedSize, objective: TuneResult['objective']): string =>
  objective === 'throughput' ? format.formatRate(perSecond) : ms(objective === 'p99' ? p99Ms : meanMs);

const ms = (value: number | null): string => (value === null ? NONE : formatMs(value));
const decimal = (value: number | null): string => (value === null ? NONE : format.formatDecimal(value));

function sizesTable(result: TuneResult): Table {
  const { sizes, baseline, objective, recommended, method } = result;
  const isRun = method.unit === 'run';
  const figures: sizing.Figure<TunedSize>[] = [
    [column('p99', 'right', 2), ({ p99Ms }) => ms(p99Ms)],
    [column('requests/s', 'right', 1), ({ perSecond }) => (isRun ? NONE : format.formatRate(perSecond))],
    [column('loop delay', 'right', 3), ({ loopDelayMs }) => ms(loopDelayMs?.p99 ?? null)],
    [column('jobs wait', 'right', 4), ({ queueWaitMs }) => ms(queueWaitMs.fast)],
    [column('lookups wait', 'right', 6), ({ queueWaitMs }) => ms(queueWaitMs.slow)],
    [column('busy threads', 'right', 8), ({ busyThreads }) => decimal(busyThreads)],
    [column('cores', 'right', 7), ({ cpu }) => decimal(cpu.cores)],
    [column(isRun ? 'runs' : 'requests', 'right', 9), ({ requests }) => String(requests)],
  ];
  return sizing.sizesTable<TunedSize>({
    ...{ caption: 'Results by pool size', sizes, baseline, recommended },
    time: [column(isRun ? 'time' : 'mean'), ({ meanMs }) => ms(meanMs)],
    figures: figures.filter(([, text]) => sizes.some((size) => text(size) !== NONE)),
    ratioOf: ({ ratio: { [objective]: ratio }, interval }) => (ratio === null ? null : { ratio, interval }),
    verdictOf: (size) => ({
      text: verdictWord(size, result),
      tone: size.overloaded || size.failing ? 'bad' : VERDICT_TONE[size.verdict],
    }),
  });
}

/** Before the fourth block the word is `estimate`: `unclear` would sound as if more had been tried. */
function verdictWord(size: TunedSize, { baseline, twin }: TuneResult): string {
  if (size.overloaded) return 'overloaded';
  if (size.failing) return 'failing';
  if (size.size === baseline) return '';
  if (twin?.noisy) return 'noisy';
  const verdict = size.verdict === 'unclear' && size.interval === null ? 'estimate' : size.verdict;
  return size.leftEarly ? (verdict === 'unclear' ? 'out' : `${verdict}, out`) : verdict;
}

const MOST_ROUTES = 10;

function routesSection(result: TuneResult): Section[] {
  const chosen = sizeIn(result, result.recommended);
  const base = sizeIn(result, result.baseline);
  if (chosen === undefined || base === undefined || chosen === base || chosen.routes.length < 2) return [];
  const titles = [column('route', 'left'), column('requests', 'right', 1), column(`mean at ${base.size}`)];
  const columns = [...titles, column(`at ${chosen.size}`), column('change', 'left')];
  const rows = chosen.routes.slice(0, MOST_ROUTES).map(({ route, requests, meanMs, ratio, slower }) => {
    const before = base.routes.find((one) => one.route === route);
    const by = ratio === null ? 'too few requests' : change(ratio);
    const figures = [route, String(requests), ms(before?.meanMs ?? null), formatMs(meanMs)];
    return [...figures, slower === 'maybe' ? `${by}, uncertain` : by];
  });
  return [{ title: 'Routes', blocks: [{ kind: 'table', caption: 'Routes', columns, rows }] }];
}

/** The command with the size before it, where another than the baseline is recommended; a process that runs can be resized. */
function lineToCopy({ recommended, command, pid, answer }: TuneResult): Section {
  if (recommended === null || answer !== 'change') return { blocks: [] };
  const setting = `UV_THREADPOOL_SIZE=${recommended}`;
  const line =
    pid === null
      ? [setting, ...(command ?? []).map(shellWord)].join(' ')
      : `plimsoll resize ${pid} ${recommended}`;
  const later = pid === null ? null : `${setting} at the next start`;
  return { blocks: [...notes([line], 'strong'), ...notes([later])] };
}

/** As a POSIX shell reads it as one word. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
