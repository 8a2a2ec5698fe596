import type { TypedOptions } from '../api/options.js';
import { compare, report } from '../api/report.js';
import { usage } from '../errors.js';
import { runCommand } from './command-run.js';
import { finishComparison } from './comparison.js';

/** Files are read before the output is opened: it may be one of them by mistake. */
export function run(options: TypedOptions<'report'>): Promise<number> {
  const { files, against, out = 'report.html' } = options;
  if (against !== undefined) {
    const [now, ...others] = files;
    if (now === undefined || others.length > 0) throw usage('--against: takes exactly one result');
    const result = compare(against, now);
    return runCommand(options, (run) => finishComparison(result, options, run));
  }
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
