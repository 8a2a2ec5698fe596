import type { FilledShape, HostLocal } from './protocol-host-state.js';

/** Is it the task that ends the stream of a shape? */
export const isEndOfStream = ({ stream, tasks }: FilledShape, task: number): boolean =>
  stream >= 0 && task === tasks - 1;

/** Is the next task none that has to wait until the stream is open? */
export const mayEndStream = (shape: FilledShape, { next, ended }: HostLocal): boolean =>
  !isEndOfStream(shape, next) || (ended[shape.stream] as number) > 0;

/** How the modelled host retires workers, as `Crew` does. */
export class Retirement {
  private readonly shape: FilledShape;

  constructor(shape: FilledShape) {
    this.shape = shape;
  }

  /** Is it time to tell a worker? */
  isDue({ quits, next }: HostLocal): boolean {
    return quits >= 0 && next >= this.shape.quitsAfter;
  }

  /** The next step towards the end of the worker that quits. False: there is none now. */
  goesOn(local: HostLocal): boolean {
    const { quits, retiring, told } = local;
    if (this.isDue(local)) {
      local.quits = -1;
      if (isInCrew(local, quits)) local.retiring = quits;
      return true;
    }
    if (retiring < 0 || told || this.keepsStream(local, retiring)) return false;
    local.told = true;
    return true;
  }

  /** As far as the host knows. It could not be woken for what continues the stream. */
  private keepsStream({ keeper, ended }: HostLocal, index: number): boolean {
    return keeper === index && ended.at(-1) === 0;
  }
}

const isInCrew = ({ killed, buried }: HostLocal, index: number): boolean =>
  !killed.includes(index) && !buried.includes(index);
