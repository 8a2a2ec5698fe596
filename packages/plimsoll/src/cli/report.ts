import type { TypedOptions } from '../api/options.js';
import { report } from '../api/report.js';
import { runCommand } from './command-run.js';

export function run(options: TypedOptions<'report'>): Promise<number> {
  const { files, out = 'report.html' } = options;
  // Before the output is opened: it may be one of the files by mistake.
  const page = report(files, options);
  return runCommand({ html: out }, async ({ finish }) => {
    await finish(
      {},
      () => null,
      () => page,
    );
    return 0;
  });
}
