/** A trace event as the inspector delivers it. `ts` and `tts` are microseconds: of `process.hrtime`, of the thread's CPU. */
export interface TraceEvent {
  readonly ph: string;
  readonly cat: string;
  readonly name: string;
  readonly tid: number;
  readonly ts: number;
  readonly tts?: number;
  readonly id?: string;
  readonly args?: { readonly result?: number };
}
