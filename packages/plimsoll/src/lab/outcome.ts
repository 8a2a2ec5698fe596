/** How the run of a measuring process went that answers by `answerOnce`. */
export type Outcome =
  | { readonly type: 'measured'; readonly metrics: Record<string, number>; readonly cpuSeconds: number }
  | { readonly type: 'cannot'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string };

/** What such a process says. */
export type FreshAnswer = { readonly type: 'started' } | Outcome;
