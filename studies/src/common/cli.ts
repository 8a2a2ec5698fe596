import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const MAIN = fileURLToPath(new URL('./cli/main.js', import.meta.resolve('plimsoll')));

/** The command line ended otherwise than with 0; the study ends with the same code. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(readonly exitCode: number) {
    super(`the command ended with ${exitCode}`);
  }
}

/**
 * Runs `plimsoll` as a user would; what it says is seen.
 *
 * @param node that runs it. Default: this one.
 * @param main another command line.
 * @throws {CommandFailed} when it does not end with 0.
 */
export function runCommand(args: readonly string[], node = process.execPath, main = MAIN): void {
  // Standard output is for people here; the results are in files.
  const { status } = spawnSync(node, [main, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new CommandFailed(status ?? 1);
}

/** The same, for the result that it writes with `--json`. */
export function resultOf<Result>(
  args: readonly string[],
  schema: { parse(value: unknown): Result },
  node?: string,
): Result {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-study-'));
  const file = join(directory, 'result.json');
  try {
    runCommand([...args, '--json', file], node);
    return readResult(file, schema);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A result from its file, which may be packed (`.gz`). */
export function readResult<Result>(file: string, schema: { parse(value: unknown): Result }): Result {
  const bytes = readFileSync(file);
  return schema.parse(JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()));
}
