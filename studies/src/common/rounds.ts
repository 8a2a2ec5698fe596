/** What a process that answers by `answerRounds` is asked once it is ready. */
export type RoundOrder = { readonly do: 'round' } | { readonly do: 'close' };

/** What one of its rounds measured. */
export interface RoundYield {
  /** One number for each metric. */
  readonly metrics: Record<string, number>;
  /** CPU time of the process and of those that help it, since they were started. */
  readonly totalCpuSeconds: number;
}

/** What such a process says, once it has started. */
export type RoundAnswer =
  | { readonly type: 'ready' }
  | ({ readonly type: 'round' } & RoundYield)
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly reason: string };
