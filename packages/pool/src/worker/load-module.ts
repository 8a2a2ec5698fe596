import { timers } from '../shared/timers.js';
import { messageOf } from '../shared/untrusted.js';
import { cannotLoad, isMissing, isTyped, isUnknownExtension, saysLess } from './load-error.js';
import { isHooked, requireFile } from './require-file.js';
import { type Attempt, isNamedModule, isScript, urlOf, type WorkerFile, workerFile } from './worker-file.js';

type Way = (file: WorkerFile) => Attempt | Promise<Attempt>;

/** Extensions of CommonJS. `require` does not start the ESM loader, which takes milliseconds. */
const COMMON_JS = ['.cjs', '.cts'];
const NO_SCRIPT = ['.json', '.node'];

/**
 * Loads a worker file. If hooks have changed `require`, it tries `require` first, except for ES modules; otherwise
 * `import()`. It tries the other way only if no code of the file has run, so nothing runs twice. The exports are
 * wrapped in an object, because a promise would call an exported function named `then`.
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
/** The first file, if `require` loaded it. `require` then always loads it, so that it runs once. */
let script: string | undefined;

/** Node options that load code before the worker file. */
const PRELOAD = /(?:^|\s)-(?:r|-require|-import|-\S*loader|-\S*config-file)(?:[\s=]|$)/;

/** Hooks can only come from preloaded code, or from a worker file loaded earlier. */
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
 * Has the ES module run? It runs only once all its imports are linked. This imports it again behind a module that
 * throws: if that error appears, linking succeeds, so the first error came from running the module.
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
 * Uses `require` where `import()` fails without a hook: for extensions that Node does not know, which `require`
 * treats as JavaScript, and for files in archives (Electron, pkg), which only `fs` and `require` can read there.
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
 * Waits one turn of the event loop before a load error is reported. If a thread is terminated in CommonJS code that
 * an ES module imports, Node 22 and 24 run the module on: without a further turn, the thread reports no false
 * error. If such code throws, Node 20 also leaves an unhandled rejection, which would end the thread.
 */
async function nextTurn(error: unknown): Promise<void> {
  if (failures.size === 0) process.on('unhandledRejection', onUnhandled);
  failures.add(error);
  await new Promise<void>((resolve) => timers.setImmediate(resolve));
  failures.delete(error);
  if (failures.size === 0) process.off('unhandledRejection', onUnhandled);
}

const failures = new Set<unknown>();

/** Other unhandled rejections end the thread, as they would without this listener. */
function onUnhandled(reason: unknown): void {
  const isOurs = failures.has(reason);
  if (!isOurs && process.listenerCount('unhandledRejection') === 1) throw reason;
}
