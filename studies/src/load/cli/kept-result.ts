import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cannotWrite, type JsonOutput, PlimsollError } from '@plimsoll/lab';
import type { LoadResult } from '../result.js';

/** A result that is kept in its file while it grows, so that an interrupted measurement can be continued. */
export interface KeptResult extends JsonOutput {
  /** What the file held; `null` when there was none. */
  readonly earlier: LoadResult | null;
}

/**
 * Open the file of `--resume`. Each write replaces it as a whole: whoever reads it, or is killed, finds a complete one.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE when it holds something else, PLIMSOLL_OUTPUT_FAILED when it cannot be written.
 */
export async function openKeptResult(file: string): Promise<KeptResult> {
  const part = `${file}.part`;
  const failed = (error: unknown): PlimsollError => cannotWrite('--json', file, error);
  try {
    closeSync(openSync(part, 'a'));
    rmSync(part);
  } catch (error) {
    throw failed(error);
  }
  return {
    earlier: await read(file),
    write(result) {
      try {
        writeFileSync(part, `${JSON.stringify(result, null, 2)}\n`);
        renameSync(part, file);
      } catch (error) {
        throw failed(error);
      }
    },
  };
}

async function read(file: string): Promise<LoadResult | null> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (text === '') return null;
  const { loadSchema } = await import('../result.js');
  try {
    return loadSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new PlimsollError(
      'PLIMSOLL_USAGE',
      `--resume: ${file} is not a result of this version of npm run load; choose another file`,
      { cause: error },
    );
  }
}
