import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotWrite } from '../errors.js';

export interface Output<Content> {
  write(content: Content): void;
}

export type JsonOutput = Output<unknown>;

/** Where `--json` and `--perfetto` go. @throws as `openOutput` does */
export const openJsonOutput = (target: string | undefined, option = '--json'): JsonOutput | null =>
  openOutput(target, option, serialise, 'result.json');

/** Where `--html` goes. @throws as `openOutput` does */
export const openTextOutput = (target: string | undefined, option: string): Output<string> | null =>
  openOutput(target, option, (text) => text, 'report.html');

/**
 * `-` is standard output. A file is opened at once, so that a bad path is known before minutes of measuring and not after;
 * what it held stays until there is a result, and one that was not there is not left empty.
 *
 * @throws {PlimsollError} PLIMSOLL_OUTPUT_FAILED when the file cannot be opened or written.
 */
function openOutput<Content>(
  target: string | undefined,
  option: string,
  textOf: (content: Content) => string,
  rescueName: string,
): Output<Content> | null {
  if (target === undefined) return null;
  if (target === '-') return { write: (content) => process.stdout.write(textOf(content)) };
  const isNew = !existsSync(target);
  const file = open(target, option);
  const remove = (): void => rmSync(target, { force: true });
  if (isNew) process.once('exit', remove);
  return {
    write(content) {
      const text = textOf(content);
      process.off('exit', remove);
      try {
        ftruncateSync(file);
        writeSync(file, text);
        closeSync(file);
      } catch (error) {
        throw cannotWrite(option, target, error, rescue(text, rescueName));
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

function rescue(text: string, name: string): string {
  try {
    const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-result-')), name);
    writeFileSync(file, text);
    return `the result is in ${file}`;
  } catch {
    return 'nor is there room for it in the temporary directory';
  }
}
