import type { TypedOptions } from '../api/options.js';
import { report } from '../api/report.js';
import { printable } from '../host/printable.js';
import { openOutput } from './json-output.js';

export async function run({ files, out = 'report.html', title }: TypedOptions<'report'>): Promise<number> {
  // Before the output is opened: it may be one of the files by mistake.
  const page = report(files, { title });
  openOutput(out, '--out', 'report.html')?.write(page);
  if (out !== '-') process.stderr.write(`report: ${printable(out)}\n`);
  return 0;
}
