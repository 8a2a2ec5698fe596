import type { TypedOptions } from '../api/options.js';
import { resize } from '../api/processes.js';
import { resizeDocument } from '../report/resize.js';
import { runCommand } from './command-run.js';

export const run = (options: TypedOptions<'resize'>): Promise<number> =>
  runCommand(options, async ({ signal, finish }) => {
    try {
      const result = await resize(options, { signal });
      await finish(result, resizeDocument(result));
      return 0;
    } catch (error) {
      if (signal.aborted) return 130;
      throw error;
    }
  });
