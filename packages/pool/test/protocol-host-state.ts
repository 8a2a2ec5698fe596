import type { Shape } from './protocol-shape.js';

/** What the host of the modelled world knows. */
export interface HostLocal {
  next: number;
  /** Tasks that were in the mailbox of a worker that died. */
  again: number[];
  free: number[];
  /** Which task each slot holds. */
  holds: number[];
  /** How often each task has ended for its caller. */
  ended: number[];
  /** Tasks that died with their workers. */
  lost: number[];
  cancel: number;
  cancelled: number;
  asked: boolean;
  /** A worker that it will tell to retire. */
  quits: number;
  /** A worker that it has begun to retire: it gets no more mail. */
  retiring: number;
  /** The message has been posted to that one. */
  told: boolean;
  /** It has heard that this one has retired. */
  left: boolean;
  /** The worker that keeps the stream. */
  keeper: number;
  /** Tasks that waited for a worker alone when its thread had exited. */
  returned: number;
  /** Workers whose threads the host has begun to stop: they may go on until they die. */
  killed: number[];
  /** Slots whose payloads were sent to the worker that asked for them. */
  sent: number[];
  toWake: boolean;
  /** A worker whose mail is new: it gets a message. */
  toTell: number;
  declared: boolean;
  asleep: boolean;
  /** It sleeps, and soon no longer counts on the workers that it woke. */
  late: boolean;
  buried: number[];
}

export type FilledShape = Required<Omit<Shape, 'plain'>> & Pick<Shape, 'plain'>;

export const newHost = ({ slots, tasks, cancel, quits }: FilledShape): HostLocal => ({
  next: 0,
  again: [],
  free: Array.from({ length: slots }, (_, slot) => slot),
  holds: new Array(slots).fill(-1),
  ended: new Array(tasks).fill(0),
  lost: [],
  cancel,
  cancelled: -1,
  asked: false,
  quits,
  retiring: -1,
  told: false,
  left: false,
  keeper: -1,
  returned: 0,
  killed: [],
  sent: [],
  toWake: false,
  toTell: -1,
  declared: false,
  asleep: false,
  late: false,
  buried: [],
});
