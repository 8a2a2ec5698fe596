import { timers } from '../shared/timers.js';
import { messageOf } from '../shared/untrusted.js';
import { cannotLoad, isMissing, isTyped, isUnknownExtension, saysLess } from './load-error.js';
import { isHooked, requireFile } from './require-file.js';
import { type Attempt, isNamedModule, isScript, urlOf, type WorkerFile, workerFile } from './worker-file.js';

type Way = (file: WorkerFile) => Attempt | Promise<Attempt>;

/** Files that `require` is made for. It needs no part of the ESM loader, which takes milliseconds to start. */
const COMMON_JS = ['.cjs', '.cts'];
const NO_SCRIPT = ['.json', '.node'];

/**
 * What a worker file exports. Where hooks have changed `require`, that comes first, but for ES modules; elsewhere
 * `import()`. The other way is tried only when nothing of the file has run in the first: nothing runs twice.
 * Not as the bare value: a promise would wait for one that has a function called `then`.
 *
 * @throws PoolError PLIMSOLL_POOL_LOAD_FAILED with the true reason as `cause`
 */
export async function loadModule(name: string): Promise<{ readonly exports: unknown }> {
  const file = workerFile(name);
  const attempt = await load(file);
  if ('exports' in attempt) return attempt;
  await nextTurn(attempt.error);
  throw cannotLoad(name, attempt.error, file);
}

function load(file: WorkerFile): Attempt | Promise<Attempt> {
  const { extension, isFound } = file;
  const isFirst = !hasLoaded;
  hasLoaded = true;
  if (!isFound) return importFile(file);
  if (NO_SCRIPT.includes(extension)) return requireFile(file);
  if (COMMON_JS.includes(extension)) return tryBoth(file, requireFile, importFile);
  if (isFirst && !hasPreloads() && isScript(file)) script = file.path;
  if (script === file.path) return tryBoth(file, requireFile, importFile);
  if ((isFirst && !hasPreloads()) || !isHooked(extension)) return importUnhooked(file);
  const isModule = file.query !== '' || isNamedModule(file);
  return isModule ? tryBoth(file, importFile, requireFile) : tryBoth(file, requireFile, importFile);
}
let hasLoaded = false;
/** The first file, if it is required: it always is then, so that it runs once. */
let script: string | undefined;

/** Options of Node that load something before the worker file. */
const PRELOAD = /(?:^|\s)-(?:r|-require|-import|-\S*loader|-\S*config-file)(?:[\s=]|$)/;

/** Hooks come from what Node was told to load first, or else from a worker file that was loaded before. */
const hasPreloads = (): boolean =>
  PRELOAD.test(process.execArgv.join(' ')) || PRELOAD.test(process.env.NODE_OPTIONS ?? '');

async function importFile(file: WorkerFile): Promise<Attempt> {
  const url = urlOf(file);
  try {
    return { exports: (await import(url)) as unknown };
  } catch (error) {
    return { error, hasRun: () => !isMissing(file, error) && canBeLinked(url, error) };
  }
}

/**
 * A module runs only when it is linked to all that it imports. So this imports it once more, after a module that throws: when linking
 * has succeeded, that is what comes of it, and the error came from the run.
 */
async function canBeLinked(url: string, error: unknown): Promise<boolean> {
  const mark = ++probes;
  const first = `data:text/javascript,throw ${mark}`;
  const probe = `import ${JSON.stringify(first)};import ${JSON.stringify(url)}`;
  try {
    await import(`data:text/javascript,${encodeURIComponent(probe)}`);
  } catch (reason) {
    return reason === mark || messageOf(reason) !== messageOf(error);
  }
  return true;
}
let probes = 0;

/**
 * `import()` refuses a file whose extension Node does not know; `require` takes it for JavaScript. And it does not find
 * a file in an archive, such as Electron's or pkg's, into which `fs` and `require` alone have learned to look.
 */
function importUnhooked(file: WorkerFile): Promise<Attempt> {
  const isRefused = (error: unknown): boolean =>
    isUnknownExtension(error) && error.message.includes(`"${file.extension}"`) && !isTyped(file.extension);
  return tryBoth(file, importFile, requireFile, (error) => isRefused(error) || isMissing(file, error));
}

async function tryBoth(
  file: WorkerFile,
  firstWay: Way,
  secondWay: Way,
  mayHelp: (error: unknown) => boolean = () => true,
): Promise<Attempt> {
  const first = await firstWay(file);
  if ('exports' in first || !mayHelp(first.error) || (await first.hasRun())) return first;
  const second = await secondWay(file);
  if ('exports' in second || (await second.hasRun())) return second;
  return isUnknownExtension(first.error) && !saysLess(second.error) ? second : first;
}

/**
 * The next turn of the event loop, for a file that failed to load.
 *
 * A thread that is ended inside CommonJS lets the ES module that imports it run on without it (Node 22 and 24: a synthetic
 * module swallows the termination). Such a thread gets no other turn, so what fails then is not told, and its end is.
 *
 * When such CommonJS throws, Node 20 leaves a rejection with its error unhandled, though the import was awaited, and would
 * end the thread by it.
 */
async function nextTurn(error: unknown): Promise<void> {
  if (failures.size === 0) process.on('unhandledRejection', onUnhandled);
  failures.add(error);
  await new Promise<void>((resolve) => timers.setImmediate(resolve));
  failures.delete(error);
  if (failures.size === 0) process.off('unhandledRejection', onUnhandled);
}

const failures = new Set<unknown>();

/** Whatever else is rejected ends the thread as it would without this listener. */
function onUnhandled(reason: unknown): void {
  const isOurs = failures.has(reason);
  if (!isOurs && process.listenerCount('unhandledRejection') === 1) throw reason;
}
