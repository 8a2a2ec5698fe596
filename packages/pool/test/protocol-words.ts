import {
  CLAIMED,
  DONE_HEAD,
  DONE_SEEN,
  DONE_TAIL,
  FLAGS,
  GATE,
  HOST_GATE,
  type Layout,
  LENGTH,
  MAIL_HEAD,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_NEXT,
  QUEUE_SEEN,
  QUEUE_TAIL,
  RUNNING_NOW,
  STATE,
} from '../dist/shared/layout.js';
import { blockAt } from '../dist/shared/table.js';
import type { World } from './model-state.js';
import type { PlainToo, Shape } from './protocol-shape.js';
import type { Shared } from './weak-memory.js';

export const HOST = 0;
/** The actors of the workers with these indexes. */
export const WORKERS = [0, 1];
const BOTH = [1, 2];

/** What carries the message to the worker that shall retire: it may be long in coming. */
export const PORT = 3;
/** Set once that message is there. No word of the table. */
export const inboxOf = ({ words }: Layout): number => words;
/** Set once that worker has posted that it has retired. */
export const outboxOf = ({ words }: Layout): number => words + 1;

/** Where the value of a task, and then that of its result, stands in its slot. */
export const VALUE = LENGTH;

/** Does a shape put anything into mailboxes, look at FLAGS, ask what workers run, carry values, tell a worker to retire? */
export interface Uses {
  readonly mail: boolean;
  readonly flags: boolean;
  readonly running: boolean;
  readonly values: boolean;
  readonly quits: boolean;
}

export const usesOf = (shape: Partial<Shape>): Uses => {
  const { mail = [], pulls = [], owed = [], blocks = -1, later = -1, stream = -1, reorders = false } = shape;
  const { quits = -1 } = shape;
  return {
    mail: mail.length + owed.length > 0 || stream >= 0,
    flags: pulls.length + owed.length > 0 || blocks >= 0 || later >= 0 || stream >= 0,
    running: owed.length > 0,
    values: reorders,
    quits: quits >= 0,
  };
};

/** Which words there are, and who accesses them how: the table of docs/internals/memory-order.md. */
export function wordsOf(
  layout: Layout,
  uses: Uses,
  plain: PlainToo | undefined,
): Pick<World, 'live' | 'shared' | 'privateWords' | 'isOwn'> {
  const { slots, spinners, slotBase, slotWords, queue, permits, mailbox } = layout;
  const block = (index: number): number => blockAt(layout, index);
  const row = (base: number, count: number, step = 1): number[] =>
    Array.from({ length: count }, (_, place) => base + place * step);
  const inSlots = (word: number): number[] => row(slotBase + word, slots, slotWords);
  const ofWorkers = (word: number): number[] => WORKERS.map((index) => block(index) + word);
  const doneRing = (index: number): number[] => row(block(index) + layout.doneRing, slots);
  const mailRing = (index: number): number[] => row(block(index) + layout.mailRing, mailbox);

  const words = (list: number[], readers: Omit<Shared, 'word'>): Shared[] =>
    list.map((word) => ({ word, ...readers }));
  const everybody = { plain: [], atomic: [HOST, ...BOTH] };
  const plainToo: Record<PlainToo, Shared[]> = {
    tail: words([QUEUE_TAIL], { plain: BOTH, atomic: [HOST] }),
    mailTails: words(ofWorkers(MAIL_TAIL), everybody),
    doneTails: words(ofWorkers(DONE_TAIL), { plain: [HOST], atomic: [] }),
    gates: words([HOST_GATE, ...ofWorkers(GATE)], everybody),
    permits: words(row(permits, spinners), everybody),
  };
  const shared = [
    ...words(row(queue, slots), { plain: [], atomic: BOTH }),
    ...words(inSlots(STATE), everybody),
    ...words(inSlots(FLAGS), { plain: BOTH, atomic: [] }),
    ...words(inSlots(VALUE), { plain: [HOST, ...BOTH], atomic: [] }),
    ...WORKERS.flatMap((index) => [
      ...words(doneRing(index), { plain: [HOST], atomic: [] }),
      ...words(mailRing(index), { plain: [], atomic: [index + 1] }),
    ]),
    ...words(ofWorkers(RUNNING_NOW), { plain: [], atomic: uses.running ? [HOST] : [] }),
    ...(plain === undefined ? [] : plainToo[plain]),
  ];
  const live = [
    ...[QUEUE_HEAD, QUEUE_TAIL, QUEUE_NEXT, QUEUE_SEEN, HOST_GATE],
    ...row(permits, spinners),
    ...row(queue, slots),
    ...inSlots(STATE),
    ...(uses.flags ? inSlots(FLAGS) : []),
    ...(uses.values ? inSlots(VALUE) : []),
    ...[GATE, DONE_TAIL, DONE_HEAD, DONE_SEEN, MAIL_HEAD, MAIL_TAIL].flatMap(ofWorkers),
    ...WORKERS.flatMap(doneRing),
    ...(uses.mail ? WORKERS.flatMap(mailRing) : []),
    ...(uses.running ? ofWorkers(RUNNING_NOW) : []),
    ...(uses.quits ? [inboxOf(layout), outboxOf(layout)] : []),
  ];
  const constant = uses.mail ? [] : [...ofWorkers(MAIL_HEAD), ...ofWorkers(MAIL_TAIL)];
  const own = [
    [QUEUE_TAIL, ...ofWorkers(MAIL_TAIL), ...row(queue, slots), ...WORKERS.flatMap(mailRing), ...constant],
    ...WORKERS.map((index) => [
      ...[DONE_TAIL, MAIL_HEAD, RUNNING_NOW].map((word) => block(index) + word),
      ...constant,
    ]),
  ].map((list) => new Set(list));
  const privates = [
    [QUEUE_NEXT, QUEUE_SEEN, ...ofWorkers(DONE_HEAD), ...ofWorkers(DONE_SEEN)],
    ...WORKERS.map((index) => [block(index) + CLAIMED]),
    [],
  ];
  return {
    live,
    shared,
    privateWords: (index) => privates[index] as number[],
    isOwn: (index, word) => own[index]?.has(word) === true,
  };
}
