import type { TypedOptions } from '../api/options.js';
import { tune } from '../api/tune.js';
import { tuneProgressText } from '../report/progress.js';
import { tuneDocument } from '../report/tune.js';
import type { TuneProgress } from '../tune/request.js';
import { besideDocuments, runCommand } from './command-run.js';

/** Without a terminal there is a line for every tenth of the time. */
const stepOf = ({ phase, share }: TuneProgress): string =>
  phase === 'measuring' ? `${phase} ${Math.floor(share * 10)}` : phase;

export function run(options: TypedOptions<'tune'>): Promise<number> {
  const { output, strict, objective = 'mean' } = options;
  const stdout = output ? besideDocuments(options) : undefined;
  return runCommand(options, async ({ progress, signal, finish }) => {
    const onProgress = (state: TuneProgress): void =>
      progress.show(stepOf(state), (width) => tuneProgressText(state, objective, width));
    const result = await tune({ ...options, stdout }, { signal, onProgress }).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (result === null) return 130;
    await finish(result, tuneDocument(result));
    if (result.method.stop === 'interrupted') return 130;
    return strict && result.answer === 'cannot tell' ? 3 : 0;
  });
}
