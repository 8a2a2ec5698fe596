/**
 * Calls and jobs of a thread as its hooks told them: 64-bit numbers, `record.FIELDS` each, in base64. See record.cts for what
 * they mean.
 */
export interface CallsLine {
  readonly type: 'calls';
  readonly thread: number;
  readonly records: string;
  /** Records so far for which there was no room. */
  readonly lost: number;
}

/** The name that a number in the records of a thread stands for. */
export interface NameLine {
  readonly type: 'name';
  readonly thread: number;
  readonly code: number;
  readonly name: string;
}
