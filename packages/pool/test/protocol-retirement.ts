import * as realGate from '../dist/shared/gate.js';
import type { Table } from '../dist/shared/table.js';
import type { FilledShape, HostLocal } from './protocol-host-state.js';
import type { Protocol } from './protocol-shape.js';

/** Is it the task that ends the stream of a shape? */
export const isEndOfStream = ({ stream, tasks }: FilledShape, task: number): boolean =>
  stream >= 0 && task === tasks - 1;

/** Is the next task none that has to wait until the stream is open? */
export const mayEndStream = (shape: FilledShape, { next, ended }: HostLocal): boolean =>
  !isEndOfStream(shape, next) || (ended[shape.stream] as number) > 0;

/** How the modelled host retires workers, as `Crew` does. */
export class Retirement {
  private readonly pool: Protocol;
  private readonly shape: FilledShape;

  constructor(pool: Protocol, shape: FilledShape) {
    this.pool = pool;
    this.shape = shape;
  }

  /** One that sleeps is stopped. One that has taken something meanwhile stays. */
  ofIdle(table: Table, local: HostLocal): boolean {
    const index = local.retire;
    local.retire = -1;
    if (isInCrew(local, index) && this.mayStop(table, index)) local.killed.push(index);
    return true;
  }

  /** Is it time to tell a worker? */
  isDue({ quits, next }: HostLocal): boolean {
    return quits >= 0 && next >= this.shape.quitsAfter;
  }

  /** The next step towards the end of the worker that quits. False: there is none now. */
  goesOn(table: Table, local: HostLocal): boolean {
    const { quits, retiring, told } = local;
    if (this.isDue(local)) {
      local.quits = -1;
      if (isInCrew(local, quits)) this.begin(table, local, quits);
      return true;
    }
    if (retiring < 0 || told || this.keepsStream(local, retiring)) return false;
    local.told = true;
    return true;
  }

  private begin(table: Table, local: HostLocal, index: number): void {
    if (this.shape.stoppable && !this.keepsStream(local, index) && this.mayStop(table, index))
      local.killed.push(index);
    else local.retiring = index;
  }

  /** As far as the host knows. It could not be woken for what continues the stream. */
  private keepsStream({ keeper, ended }: HostLocal, index: number): boolean {
    return keeper === index && ended.at(-1) === 0;
  }

  private mayStop(table: Table, index: number): boolean {
    const { pool } = this;
    const gate = pool.gateAt(table, index);
    if (!pool.retire(table.words, gate)) return false;
    if (pool.hasNothing(table, index)) return true;
    Atomics.store(table.words, gate, realGate.AWAKE);
    return false;
  }
}

const isInCrew = ({ killed, buried }: HostLocal, index: number): boolean =>
  !killed.includes(index) && !buried.includes(index);
