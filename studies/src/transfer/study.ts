import type { Condition, Contender, Effort, Judged, Study } from '../common/study.js';
import { findings } from './findings.js';

const CONTENDERS: readonly Contender[] = [
  { id: 'plimsoll-clone', title: 'copied, @plimsoll/pool' },
  { id: 'plimsoll-move', title: 'moved, @plimsoll/pool' },
  { id: 'piscina-clone', title: 'copied, Piscina' },
  { id: 'piscina-move', title: 'moved, Piscina' },
];

/** From which size on moving pays, each way, and ours beside Piscina by the first metric. */
const JUDGED: readonly Judged[] = [
  ...['to', 'from', 'both'].flatMap((way): Judged[] => [
    ['plimsoll-move', 'plimsoll-clone', way],
    ['piscina-move', 'piscina-clone', way],
  ]),
  ['plimsoll-clone', 'piscina-clone', 'to'],
  ['plimsoll-move', 'piscina-move', 'to'],
];

const KB = 1024;
const MB = 1024 * KB;

/** Tasks of each way in a round: some tens of milliseconds, and at least one task. */
const SIZES: readonly (readonly [title: string, length: number, tasks: number, quick: number])[] = [
  ['1 KB', KB, 1000, 200],
  ['10 KB', 10 * KB, 1000, 0],
  ['100 KB', 100 * KB, 400, 0],
  ['1 MB', MB, 50, 10],
  ['10 MB', 10 * MB, 5, 0],
  ['100 MB', 100 * MB, 1, 0],
];

const condition = (title: string, length: number, tasks: number): Condition => ({
  id: title.replace(' ', '-'),
  title,
  contenders: CONTENDERS,
  baseline: 'piscina-clone',
  metrics: [
    { id: 'to', title: 'to the worker µs', better: 'less', digits: 0 },
    { id: 'from', title: 'from the worker µs', better: 'less', digits: 0 },
    { id: 'both', title: 'there and back µs', better: 'less', digits: 0 },
  ],
  judged: JUDGED,
  parameters: { length, tasks },
  seconds: 40,
});

export const transfer: Study = {
  name: 'transfer',
  title: 'Copying values to workers, or moving them',
  description: [
    'Arguments and results of tasks are copied by the rules of structured clone, unless they are moved: arguments by a transfer',
    'list, results by `move()`. What is moved cannot be used any more where it was. Here bytes of 1 KB to 100 MB go to one worker,',
    'come from it, and go there and back, one task after the other ([program.ts](../../studies/src/transfer/program.ts)). What is',
    'sent is allocated anew for each task, as what is moved has to be; that is part of every figure.',
  ],
  packages: ['@plimsoll/pool', 'piscina'],
  conditions(effort: Effort): readonly Condition[] {
    return SIZES.flatMap(([title, length, full, quick]) => {
      const tasks = effort === 'full' ? full : quick;
      return tasks === 0 ? [] : [condition(title, length, tasks)];
    });
  },
  findings,
};
