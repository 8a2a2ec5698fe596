/** Something that has happened in a pool. */
export interface Step {
  /**
   * A worker has started ('start'), or has not ('start failed'); a function was called ('call'), perhaps with a fault; the pool
   * has heard how it ended ('end').
   */
  readonly kind: 'start' | 'start failed' | 'call' | 'end';
  /** Of the worker. */
  readonly threadId: number;
  /** Of the function that was called. */
  readonly name?: string;
}
