import type * as realGate from '../dist/shared/gate.js';
import type * as realTable from '../dist/shared/table.js';

/** The protocol under test; a mutant replaces one function. */
export type Protocol = typeof realTable & typeof realGate;

/** Does a worker wake the host only before its result is there? That is a mutant. */
export type Early = 'no' | 'only';

/** What a mutant does wrong when a worker retires: each leaves out one thing. */
export type Careless =
  | 'no'
  /** The worker does not tell the host when it ends. */
  | 'silent'
  /** The worker wakes the host by its gate when it ends, instead of by a message. */
  | 'rings'
  /** The worker ends although it runs a task. */
  | 'hasty'
  /** The worker ends although it keeps a stream. */
  | 'forgetful'
  /** The host goes on to mail tasks to it. */
  | 'mails';

/** Words that the protocol itself accesses by `Atomics` alone. */
export type PlainToo = 'tail' | 'mailTails' | 'doneTails' | 'gates' | 'permits';

/** What a world of two workers has and does: as little as possible, and yet every race of what it is about. */
export interface Shape {
  slots: number;
  tasks?: number;
  cancel?: number;
  deaths?: number;
  /** Is the task that is cancelled asked to end, and then stopped? Or never stopped? */
  asks?: 'no' | 'first' | 'only';
  /** Workers that spin before they sleep. */
  spinners?: number;
  /** Which worker's mailbox each task goes to; undefined: the shared queue. */
  mail?: (number | undefined)[];
  /** Tasks whose payload the worker has to ask for. */
  pulls?: number[];
  /** Does a worker that asks get the next task into its mailbox, with its payload? */
  ahead?: boolean;
  /** Tasks that the host gives to a worker that has nothing, if there is one, because their payloads are posted. */
  owed?: number[];
  /** A task that never ends. */
  blocks?: number;
  /** A task that its worker sleeps on. */
  later?: number;
  /** A worker that never wakes up once it sleeps: its own timers keep its event loop busy. */
  absent?: number;
  early?: Early;
  /** A worker that the host tells to retire: from then on it takes only its mail, and then ends itself. */
  quits?: number;
  /** How many tasks the host submits before it does so. Default: all. */
  quitsAfter?: number;
  /** A task that opens a stream. The last task ends the stream, in the same worker, and waits until it is open. */
  stream?: number;
  careless?: Careless;
  /** Does the host announce each task by itself? Otherwise all that have a slot at once. */
  eager?: boolean;
  /** May plain accesses be reordered? Then each task carries a value there and back, too. */
  reorders?: boolean;
  /** What a mutant accesses plainly, too. */
  plain?: PlainToo;
  /** How often an actor that could go on is made to wait, at most. */
  preemptions?: number;
  protocol?: Partial<Protocol>;
}
