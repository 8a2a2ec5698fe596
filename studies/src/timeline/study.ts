// The seven experiments of the article that asked what runs on the thread pool; writes timeline.json and, with the pictures,
// timeline.md. `--quick` draws each once, however disturbed, into .cache/study-timeline; `--from FILE` draws what was measured.
import { readFileSync } from 'node:fs';
import { readOptions, type Timeline } from '@plimsoll/lab';
import { timelineSchema } from '@plimsoll/lab/schemas';
import { resultOf } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { EXPERIMENTS } from './experiments.js';
import { timelinePage } from './page.js';

const ATTEMPTS = 5;

export const timelineStudy: Command = {
  name: 'timeline',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, from: { type: 'string' } });
    const out = values.quick ? scratch('timeline') : RESULTS;
    const results =
      values.from === undefined
        ? EXPERIMENTS.map((pictures) => measure(pictures.args, values.quick ? 1 : ATTEMPTS))
        : timelineSchema.array().parse(JSON.parse(readFileSync(values.from, 'utf8')));
    writeOutput(out, 'timeline.json', `${JSON.stringify(results, null, 1)}\n`);
    writeOutput(out, 'timeline.md', timelinePage(results));
    return 0;
  },
};

/** Several times, if need be: what else runs on the machine is not what the pictures are about. */
function measure(args: readonly string[], attempts: number): Timeline {
  for (let attempt = 1; ; attempt++) {
    const result = resultOf(['classify', '--draw', ...args], timelineSchema);
    const isDisturbed = result.experiments.some(({ observations }) =>
      observations.some(({ id }) => id === 'timeline.off-cpu'),
    );
    if (!isDisturbed || attempt >= attempts) return result;
  }
}
