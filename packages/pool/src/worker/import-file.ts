import { readFileSync } from 'node:fs';
import { messageOf } from '../shared/untrusted.js';
import { isMissing } from './load-error.js';
import { type Attempt, urlOf, type WorkerFile } from './worker-file.js';

export async function importFile(file: WorkerFile): Promise<Attempt> {
  const url = urlOf(file);
  try {
    return seemsToExportThen(file) ? await importWrapped(url) : { exports: (await import(url)) as unknown };
  } catch (error) {
    return { error, hasRun: () => !isMissing(file, error) && canBeLinked(url, error) };
  }
}

const THEN =
  /\bexports\s*\.\s*then\b|\bexports\s*=\s*\{[^}]*\bthen\b|\bexports\s*,\s*['"]then['"]|\bexport\s+(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s*\bthen\b|\bexport\s*\{[^}]*\bthen\b/;

/** `import()` would call such a function and wait for ever for what it never calls. */
function seemsToExportThen({ path, isFound }: WorkerFile): boolean {
  try {
    return isFound && THEN.test(readFileSync(path, 'utf8'));
  } catch {
    // What cannot be read this way, `import()` may know.
    return false;
  }
}

/** A module inside another one is not taken for a promise. */
async function importWrapped(url: string): Promise<{ exports: unknown }> {
  const wrapper = `import * as exports from ${JSON.stringify(url)};export { exports };`;
  return (await import(`data:text/javascript,${encodeURIComponent(wrapper)}`)) as { exports: unknown };
}

/**
 * A module runs only when it is linked to all that it imports. So this imports it once more, after a module that throws:
 * if that is what comes of it, linking has succeeded, and the error came from the run. If it is the error of before, it
 * came from linking.
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
