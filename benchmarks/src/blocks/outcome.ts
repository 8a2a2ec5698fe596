/** How one run in a fresh process went. */
export type Outcome =
  | { readonly type: 'measured'; readonly metrics: Record<string, number>; readonly cpuSeconds: number }
  | { readonly type: 'cannot'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string };

/** A library has no way to do what a run asks for: an outcome of its own, not a failure. */
export class CannotDo extends Error {
  override readonly name = 'CannotDo';
}
