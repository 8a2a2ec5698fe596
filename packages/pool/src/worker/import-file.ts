import { isMissing, messageOf } from './load-error.js';
import { type Attempt, urlOf, type WorkerFile } from './worker-file.js';

export async function importFile(file: WorkerFile): Promise<Attempt> {
  const url = urlOf(file);
  try {
    return { exports: (await import(url)) as unknown };
  } catch (error) {
    return { error, hasRun: () => !isMissing(file, error) && canBeLinked(url, error) };
  }
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
