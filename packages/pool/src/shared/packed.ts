/** A task and what travels beside it: a plain object, which the codec knows. */
export interface Packed {
  readonly task: unknown;
  /** What the registered AsyncLocalStorages held, by their names. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Of W3C: `traceparent`, `tracestate`, `baggage`. */
  readonly trace?: Readonly<Record<string, string>>;
  /** Somebody waits to hear that the task of this number begins. */
  readonly notice?: number;
}
