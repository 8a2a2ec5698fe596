/** What a bar is about; each has a colour and a pattern of its own. */
export const families = ['crypto', 'zlib', 'fs', 'dns', 'add-on', 'main', 'outside'] as const;

export type Family = (typeof families)[number];

/** One trip to the pool. Times in milliseconds since the panel's left end. */
export interface Job {
  /** For people: `crypto`, `fs.read`, the name of an add-on's work. */
  readonly what: string;
  readonly family: Family;
  /** For whom it was: `request 3`; empty when not known. */
  readonly owner: string;
  /** Which of the panel's event loops submitted it, counted from 0. */
  readonly loop: number;
  readonly submitMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly callbackMs: number;
  readonly cpuMs: number | null;
  /** Its pool thread, counted from 1; `null` when not known. */
  readonly thread: number | null;
  readonly slowIo: boolean;
  readonly inferred: boolean;
  readonly queued: boolean;
}

/** Time that no pool thread had: on the thread of the event loop (`main`), or outside the process. */
export interface Other {
  readonly what: string;
  readonly family: 'main' | 'outside';
  readonly owner: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One picture: a pool of one size at work. */
export interface Panel {
  readonly heading: string;
  /** How many were asked for; 0 where that is not known. */
  readonly requests: number;
  readonly size: number;
  readonly loops: number;
  readonly jobs: readonly Job[];
  readonly others: readonly Other[];
  readonly durationMs: number;
  /** What its picture does not show, and what it shows, in sentences. */
  readonly notes: readonly string[];
}

/** A job that found no free thread waits; one that found it starts as soon as the thread has woken up and has a core. */
export const isWait = ({ queued, submitMs, startMs }: Job): boolean => queued && startMs > submitMs;

const LOOKUP = /^(dns\.)?(lookup|lookupService)$/;
/** `fs.…`, and work of N-API that Node itself does for fs. */
const FS = /^(fs\.|readdir_recursive$|glob$)/;

/** The family of a job by its name; of the others only fs is inferred. */
export function familyOf(what: string, inferred: boolean): Family {
  if (what === 'crypto' || what === 'zlib') return what;
  if (LOOKUP.test(what)) return 'dns';
  return inferred || FS.test(what) ? 'fs' : 'add-on';
}
