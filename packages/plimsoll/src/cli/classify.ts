import { classify, timeline } from '../api/classify.js';
import type { TypedOptions } from '../api/options.js';
import type { ClassifyProgress } from '../classify/classify.js';
import type { DrawProgress } from '../classify/draw.js';
import { usage } from '../errors.js';
import { classificationDocument } from '../report/classify.js';
import { classifyProgressText } from '../report/progress.js';
import { timelineDocument } from '../report/timeline.js';
import { type CommandRun, runCommand } from './command-run.js';

export const run = (options: TypedOptions<'classify'>): Promise<number> =>
  runCommand(options, (run) => (options.draw ? draw(options, run) : decide(options, run)));

async function decide(
  options: TypedOptions<'classify'>,
  { progress, signal, finish }: CommandRun,
): Promise<number> {
  const onProgress = (state: ClassifyProgress): void => {
    const tenth = String(Math.floor((state.done / state.all) * 10));
    if (state.done < state.all) progress.show(tenth, (width) => classifyProgressText(state, width));
  };
  const result = await classify(options, { signal, onProgress });
  await finish(result, classificationDocument(result));
  if (result.interrupted) return 130;
  if (result.results.some(({ verdict }) => verdict === 'failed' || verdict === 'timeout')) return 4;
  return result.results.some(({ verdict }) => verdict === 'unclear') ? 3 : 0;
}

async function draw(
  { names = [], ...options }: TypedOptions<'classify'>,
  { progress, signal, finish }: CommandRun,
): Promise<number> {
  const [operation, ...others] = names;
  if (operation === undefined || others.length > 0)
    throw usage('--draw: takes exactly one operation, such as pbkdf2 or ./work.mjs#hash');
  const onProgress = ({ requests, experiment, experiments }: DrawProgress): void =>
    progress.show(String(experiment), () => `${requests} at once (${experiment + 1} of ${experiments})`);
  const result = await timeline({ ...options, operation }, { signal, onProgress });
  await finish(result, timelineDocument(result));
  return result.interrupted ? 130 : 0;
}
