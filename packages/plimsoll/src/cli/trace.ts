import type { TypedOptions } from '../api/options.js';
import { trace } from '../api/trace.js';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { pprof, speedscope } from '../report/flame.js';
import { reportPage } from '../report/html/page.js';
import { traceDocument } from '../report/trace.js';
import type { TraceSummary } from '../results/trace-summary.js';
import { besideDocuments, runCommand } from './command-run.js';
import { openOutput } from './json-output.js';

/** By the end of the name of a file. */
const GRAPHS: Readonly<Record<string, (summary: TraceSummary) => string | Buffer>> = {
  '.html': (summary) => reportPage([summary]),
  '.speedscope.json': speedscope,
  '.pb.gz': pprof,
  '.pprof': pprof,
};

export function run(options: TypedOptions<'trace'>): Promise<number> {
  const { command, durationMs, quiet, flame } = options;
  const calls = options.calls || flame !== undefined;
  const ending = flame === undefined ? '' : Object.keys(GRAPHS).find((end) => flame.endsWith(end));
  if (ending === undefined)
    throw usage(`--flame: must end with one of ${Object.keys(GRAPHS).join(', ')}, not "${flame}"`);
  const graph = openOutput(flame, '--flame', 'waiting');
  return runCommand(options, async ({ signal, finish, say }) => {
    const until = durationMs === undefined ? 'until it ends' : `for ${durationMs / 1000} s`;
    if (!quiet) say(`plimsoll: recording ${printable(command.join(' '))} ${until}; Ctrl-C ends it`);
    const { summary } = await trace({ ...options, calls, stdout: besideDocuments(options) }, { signal });
    await finish(summary, traceDocument(summary));
    graph?.write(GRAPHS[ending]?.(summary) ?? '');
    return summary.ending === 'interrupted' ? 130 : summary.ending === 'failed' ? 4 : 0;
  });
}
