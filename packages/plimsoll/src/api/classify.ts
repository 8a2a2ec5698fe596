import { catalogue, entriesNamed, missingNames } from '../classify/catalogue/catalogue.js';
import type { Entry } from '../classify/catalogue/entry.js';
import { type ClassifyProgress, classify as experiment } from '../classify/classify.js';
import { PlimsollError } from '../errors.js';
import { explained } from '../report/findings/classify.js';
import type { Classification } from '../results/classification.js';
import { checkPositive } from './check.js';
import { type RunOptions, supervised } from './run-options.js';
import { parseTarget } from './targets.js';

/** What `classify` looks into; every option has a default. */
export interface ClassifyOptions {
  /** APIs by name or group (`fs.stat`, `fs`), or functions as `PATH#export`; by default the whole catalogue. */
  readonly names?: readonly string[] | undefined;
  /** Arguments of `PATH#export`; by default none. */
  readonly args?: readonly unknown[] | undefined;
  /** An operation that takes longer with nothing blocked counts as one that never completes, in milliseconds; by default 5000. */
  readonly deadlineMs?: number | undefined;
}

export const CLASSIFY_DEADLINE_MS = 5000;

/**
 * Decide by experiment, for APIs and functions, whether they use the pool: with every pool thread blocked, do they complete?
 *
 * When `signal` aborts, the result holds what was decided by then (`interrupted`). No process and no temporary directory
 * is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an unknown name; PLIMSOLL_BAD_WORKLOAD for a module that cannot be loaded;
 * PLIMSOLL_NEEDS_POSIX on Windows, which has no FIFOs.
 * @example
 * const { results } = await classify({ names: ['dns.lookup', './work.mjs#hash'] });
 * for (const { name, verdict } of results) console.log(name, verdict);
 */
export async function classify(
  { names = [], args = [], deadlineMs = CLASSIFY_DEADLINE_MS }: ClassifyOptions = {},
  { signal, onProgress }: RunOptions<ClassifyProgress> = {},
): Promise<Classification> {
  const wanted = [...new Set(names)];
  const targets = wanted.flatMap((name) => parseTarget(name, args) ?? []);
  const named = wanted.filter((name) => !targets.some((target) => target.name === name)).flatMap(entriesOf);
  const plan = {
    entries: wanted.length === 0 ? catalogue : [...new Set(named)],
    targets,
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  const measured = await supervised(signal, (supervision) =>
    experiment(plan, { ...supervision, onProgress }),
  );
  return { ...measured, results: measured.results.map(explained) };
}

function entriesOf(name: string): readonly Entry[] {
  const entries = entriesNamed(name);
  if (entries.length > 0) return entries;
  if (missingNames.includes(name))
    throw new PlimsollError('PLIMSOLL_USAGE', `${name} is not in Node ${process.versions.node}`);
  const similar = catalogue.filter((entry) => entry.name.toLowerCase().includes(name.toLowerCase()));
  const known =
    name !== '' && similar.length > 0
      ? `did you mean ${similar.map((entry) => entry.name).join(', ')}?`
      : `the catalogue has ${[...new Set(catalogue.map((entry) => entry.name.split('.')[0]))].join(', ')}`;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `unknown API ${JSON.stringify(name)}; ${known}; a function of yours is PATH#export`,
  );
}
