import { catalogue, entriesNamed } from '../classify/catalogue/catalogue.js';
import { type ClassifyProgress, classify as experiment } from '../classify/classify.js';
import { type DrawProgress, draw } from '../classify/draw.js';
import { isOperationName, operationNames } from '../classify/operations.js';
import { usage } from '../errors.js';
import { explained } from '../report/findings/classify.js';
import { observed } from '../report/findings/timeline.js';
import type { Classification } from '../results/classification.js';
import type { Timeline } from '../results/timeline.js';
import { parseTarget } from '../workloads/target.js';
import type { OptionsOf } from './options.js';
import { type RunOptions, supervised } from './run-options.js';
import { checkOptions } from './values.js';

export type ClassifyOptions = Pick<OptionsOf<'classify'>, 'names' | 'args' | 'deadlineMs'>;
/** `operation`: `pbkdf2`, `pbkdf2-sync`, `http`, `readFile`, `lookup`, `resolve`, `gzip`, `randomBytes`, or `PATH#export`. */
export type TimelineOptions = Omit<OptionsOf<'classify'>, 'names'> & { readonly operation: string };

const CLASSIFY_DEADLINE_MS = 5_000;
const DRAW_DEADLINE_MS = 60_000;

/**
 * Decide by experiment, for APIs and functions, whether they use the pool: with every pool thread blocked, do they complete?
 *
 * When `signal` aborts, the result holds what was decided by then (`interrupted`).
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an unknown name; PLIMSOLL_BAD_WORKLOAD for a module that cannot be loaded;
 * PLIMSOLL_NEEDS_POSIX on Windows, which has no FIFOs.
 * @example
 * const { results } = await classify({ names: ['dns.lookup', './work.mjs#hash'] });
 * for (const { name, verdict } of results) console.log(name, verdict);
 */
export async function classify(
  options: ClassifyOptions = {},
  { signal, onProgress }: RunOptions<ClassifyProgress> = {},
): Promise<Classification> {
  const { names = [], args, deadlineMs = CLASSIFY_DEADLINE_MS } = checkOptions('classify', options);
  const wanted = [...new Set(names)];
  const targets = wanted.flatMap((name) => parseTarget(name, args) ?? []);
  const named = wanted
    .filter((name) => !targets.some((target) => target.name === name))
    .flatMap(entriesNamed);
  const entries = wanted.length === 0 ? catalogue : [...new Set(named)];
  const measured = await supervised(signal, (supervision) =>
    experiment({ entries, targets, deadlineMs }, { ...supervision, onProgress }),
  );
  return { ...measured, results: measured.results.map(explained) };
}

/**
 * Run an operation several times at once and say where every request spent its time: waiting for a pool thread, on one,
 * waiting for the event loop, on the main thread, outside the process.
 *
 * When `signal` aborts, the result holds the complete experiments (`interrupted`).
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an unknown operation or an option out of range; PLIMSOLL_WORKLOAD_FAILED,
 * PLIMSOLL_WORKLOAD_EXITED, PLIMSOLL_WORKLOAD_HUNG when the operation does not complete.
 * @example
 * const { experiments } = await timeline({ operation: './work.mjs#hash', requests: [6], size: 4 });
 */
export async function timeline(
  { operation, ...options }: TimelineOptions,
  { signal, onProgress }: RunOptions<DrawProgress> = {},
): Promise<Timeline> {
  const checked = checkOptions('classify', options);
  const { args, requests, size, deadlineMs = DRAW_DEADLINE_MS } = checked;
  const target = isOperationName(operation) ? null : parseTarget(operation, args);
  const subject = isOperationName(operation)
    ? { kind: 'built-in' as const, name: operation }
    : target && { kind: 'target' as const, target };
  if (subject === null)
    throw usage(
      `unknown operation ${JSON.stringify(operation)}; it must be one of ${operationNames.join(', ')}, or PATH#export`,
    );
  const plan = { subject, requests, size, deadlineMs };
  return observed(await supervised(signal, (supervision) => draw(plan, { ...supervision, onProgress })));
}
