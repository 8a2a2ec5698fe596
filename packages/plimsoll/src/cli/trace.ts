import { closeSync, openSync } from 'node:fs';
import type { TypedOptions } from '../api/options.js';
import { trace } from '../api/trace.js';
import { cannotWrite, usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { traceDocument } from '../report/trace.js';
import { besideDocuments, runCommand } from './command-run.js';

export function run(options: TypedOptions<'trace'>): Promise<number> {
  const { command, durationMs, quiet, file } = options;
  if (file !== undefined) checkWritable(file);
  return runCommand(options, async ({ signal, finish, say }) => {
    const until = durationMs === undefined ? 'until it ends' : `for ${durationMs / 1000} s`;
    if (!quiet) say(`plimsoll: recording ${printable(command.join(' '))} ${until}; Ctrl-C ends it`);
    const { summary } = await trace({ ...options, stdout: besideDocuments(options) }, { signal });
    await finish(summary, traceDocument(summary));
    return summary.ending === 'interrupted' ? 130 : summary.ending === 'failed' ? 4 : 0;
  });
}

/** That `--out` cannot be written is known before anything is recorded. */
function checkWritable(file: string): void {
  if (file === '-') throw usage('--out: a trace goes to a file; --json - writes the summary');
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw cannotWrite('--out', file, error);
  }
}
