import type { TypedOptions } from '../api/options.js';
import { top } from '../api/processes.js';
import { screenLines } from '../report/top.js';
import { runCommand } from './command-run.js';
import { watch } from './watch.js';

export function run(options: TypedOptions<'top'>): Promise<number> {
  const { of, intervalMs = 1000, once, json } = options;
  const isLive = !once && json === undefined && process.stdin.isTTY && process.stdout.isTTY;
  if (isLive) return watch(of, intervalMs);
  return runCommand(options, async ({ finish }) => {
    const result = await top(options);
    await finish(result, (style) => screenLines(result.processes, style).join('\n'));
    return 0;
  });
}
