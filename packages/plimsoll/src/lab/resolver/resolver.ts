/** Where lookups go in an experiment, and how its processes are started so that they go there. */
export interface Resolver {
  readonly mode: 'system' | 'local' | 'hosts';
  /** The set delay of an answer in milliseconds; `null` when nobody knows it. */
  readonly delayMs: number | null;
  readonly names: readonly string[];
  /** Command that every measuring process is started through. */
  readonly prefix: readonly string[];
  readonly description: string;
  close(): Promise<void>;
}

/** This way to resolve names does not work on this machine; the message says why. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}
