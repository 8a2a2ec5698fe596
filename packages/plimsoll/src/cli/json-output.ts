import { closeSync, ftruncateSync, mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotWrite } from '../errors.js';

export interface JsonOutput {
  write(result: unknown): void;
}

/**
 * Where `--json` goes: `-` is standard output. A file is opened at once, so that a bad path is known before minutes
 * of measuring and not after; what it held stays until there is a result.
 *
 * @throws {PlimsollError} PLIMSOLL_OUTPUT_FAILED when the file cannot be opened or written.
 */
export function openJsonOutput(target: string | undefined, option = '--json'): JsonOutput | null {
  if (target === undefined) return null;
  if (target === '-') return { write: (result) => process.stdout.write(serialise(result)) };
  const file = open(target, option);
  return {
    write(result) {
      try {
        ftruncateSync(file);
        writeSync(file, serialise(result));
        closeSync(file);
      } catch (error) {
        throw cannotWrite(option, target, error, rescue(result));
      }
    },
  };
}

const serialise = (result: unknown): string => `${JSON.stringify(result, null, 2)}\n`;

function open(path: string, option: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw cannotWrite(option, path, error);
  }
}

function rescue(result: unknown): string {
  try {
    const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-result-')), 'result.json');
    writeFileSync(file, serialise(result));
    return `the result is in ${file}`;
  } catch {
    return 'nor is there room for it in the temporary directory';
  }
}
