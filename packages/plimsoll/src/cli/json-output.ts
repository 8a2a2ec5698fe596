import fs from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotWrite } from '../errors.js';

export interface Output<Content = string | Buffer> {
  write(content: Content): void;
}

export type JsonOutput = Output<unknown>;

export function openJsonOutput(target: string | undefined): JsonOutput | null {
  const output = openOutput(target, '--json', 'result.json');
  return output && { write: (result) => output.write(`${JSON.stringify(result, null, 2)}\n`) };
}

/**
 * `-` is standard output. A file is opened at once, so that a bad path is known before minutes of measuring and not after;
 * what it held stays until there is a result, and one that was not there is not left empty.
 *
 * @param rescueName of the file in the temporary directory that gets what cannot be written.
 * @throws {PlimsollError} PLIMSOLL_OUTPUT_FAILED when the file cannot be opened, or not all of it can be written.
 */
export function openOutput(target: string | undefined, option: string, rescueName: string): Output | null {
  if (target === undefined) return null;
  const isStdout = target === '-';
  // A file behind standard output has no such stream, but one that does not look whether all was written.
  if (isStdout && process.stdout instanceof Socket)
    return { write: (content) => process.stdout.write(content) };
  const isNew = !isStdout && !fs.existsSync(target);
  const file = isStdout ? process.stdout.fd : open(target, option);
  const remove = (): void => fs.rmSync(target, { force: true });
  if (isNew) process.once('exit', remove);
  return {
    write(content) {
      process.off('exit', remove);
      try {
        if (!isStdout && fs.fstatSync(file).isFile()) fs.ftruncateSync(file);
        fs.writeFileSync(file, content);
        if (!isStdout) fs.closeSync(file);
      } catch (error) {
        throw cannotWrite(option, isStdout ? 'standard output' : target, error, rescue(content, rescueName));
      }
    },
  };
}

function open(path: string, option: string): number {
  try {
    return fs.openSync(path, 'a');
  } catch (error) {
    throw cannotWrite(option, path, error);
  }
}

function rescue(text: string | Buffer, name: string): string {
  try {
    const file = join(fs.mkdtempSync(join(tmpdir(), 'plimsoll-result-')), name);
    fs.writeFileSync(file, text);
    return `the result is in ${file}`;
  } catch {
    return 'nor is there room for it in the temporary directory';
  }
}
