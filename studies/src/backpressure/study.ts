import type { Condition, Contender, Effort, Judged, Study } from '../common/study.js';
import { findings } from './findings.js';

const MODES = {
  unbounded: 'unbounded',
  pausing: 'maxQueue 16, pause and drain',
  windowed: 'a window of 16, awaited',
} as const;

const CONTENDERS: readonly Contender[] = Object.entries(MODES).flatMap(([mode, title]) => [
  { id: `plimsoll-${mode}`, title: `${title}; @plimsoll/pool` },
  { id: `piscina-${mode}`, title: `${title}; Piscina` },
]);

const JUDGED: readonly Judged[] = [
  ['piscina-pausing', 'piscina-unbounded', 'time'],
  ['plimsoll-pausing', 'plimsoll-unbounded', 'time'],
  ['piscina-windowed', 'piscina-pausing', 'time'],
  ...Object.keys(MODES).map((mode): Judged => [`plimsoll-${mode}`, `piscina-${mode}`, 'time']),
  ['piscina-pausing', 'piscina-unbounded', 'heap'],
];

const condition = (lines: number, contenders: readonly Contender[]): Condition => ({
  id: String(lines),
  title: `${lines.toLocaleString('en-GB')} lines`,
  contenders,
  baseline: 'piscina-unbounded',
  metrics: [
    { id: 'time', title: 'time ms', better: 'less', digits: 0 },
    { id: 'heap', title: 'peak heap MB', better: 'less', digits: 1 },
    { id: 'rss', title: 'peak RSS MB', better: 'less', digits: 0 },
    { id: 'queue', title: 'longest queue', better: 'less', digits: 0 },
  ],
  judged: JUDGED,
  parameters: { lines },
  seconds: 240,
  // Peaks of memory never fall: a process has one round of them.
  isolated: true,
});

export const backpressure: Study = {
  name: 'backpressure',
  title: 'Back-pressure over a CSV file of 25,000 lines',
  description: [
    'Every line of a CSV file becomes a task of some tens of microseconds; csv-parse reads faster than the workers work',
    '([modes.ts](../../studies/src/backpressure/modes.ts)). Unbounded: every line is submitted as it is read. Pause and drain, the',
    "article's way: with `maxQueue: 16` the stream is paused when 16 tasks wait, and resumed by the event 'drain'. Window: the next",
    'line is taken when fewer than 16 tasks are under way. One worker per core. Heap: of the main thread, looked at every 50 lines.',
  ],
  packages: ['@plimsoll/pool', 'piscina', 'csv-parse'],
  conditions: (effort: Effort): readonly Condition[] =>
    effort === 'full'
      ? [condition(25_000, CONTENDERS)]
      : [
          condition(
            1000,
            CONTENDERS.filter(({ id }) => id.startsWith('plimsoll') || id === 'piscina-unbounded'),
          ),
        ],
  findings,
};
