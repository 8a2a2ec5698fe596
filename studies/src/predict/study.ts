// Predicts workloads with a known answer from one recorded run each, measures what was predicted, and writes how wrong it was:
// prediction.json and prediction.md. `--quick` does a small part into .cache/study-predict; `CASE …` only these workloads;
// `--runs N` other than three runs of each size; `--from FILE` writes the page of an earlier result.
import { readFileSync } from 'node:fs';
import { captureEnvironment, objectives, parseCount, readOptions, usage } from 'plimsoll/lab';
import { positive } from '../common/arguments.js';
import { type Command, withGuardian } from '../common/command.js';
import { RESULTS, ROOT, scratch, writeOutput } from '../common/paths.js';
import { CASES, QUICK } from './cases.js';
import { measureCase } from './measure.js';
import { predictionPage, summaryOf } from './page.js';
import type { CaseResult, PredictionStudy } from './result.js';
import type { Plan } from './run.js';

export const predictStudy: Command = {
  name: 'predict',
  run(args) {
    const { values, positionals } = readOptions(
      args,
      {
        quick: { type: 'boolean', default: false },
        runs: { type: 'string' },
        scale: { type: 'string' },
        objective: { type: 'string', default: 'mean' },
        from: { type: 'string' },
      },
      true,
    );
    if (values.from !== undefined) {
      const study = JSON.parse(readFileSync(values.from, 'utf8')) as PredictionStudy;
      writeOutput(RESULTS, 'prediction.md', predictionPage(study));
      return 0;
    }
    const names = positionals.length > 0 ? positionals : values.quick ? QUICK : Object.keys(CASES);
    const wrong = names.find((name) => !Object.hasOwn(CASES, name));
    if (wrong !== undefined)
      throw usage(`there is no workload ${wrong}; there are ${Object.keys(CASES).join(', ')}`);
    const objective = objectives.find((one) => one === values.objective);
    if (objective === undefined)
      throw usage(`--objective: must be ${objectives.join(', ')}, not ${JSON.stringify(values.objective)}`);
    const plan: Plan = {
      runs: parseCount(values.runs ?? (values.quick ? '1' : '3'), '--runs', 1, 100),
      scale: positive(values.scale, '--scale', values.quick ? 0.5 : 1),
      objective,
    };
    return measure(names, plan, values.quick || positionals.length > 0 ? scratch('predict') : RESULTS);
  },
};

const measure = (names: readonly string[], plan: Plan, out: string): Promise<number> =>
  withGuardian(async (cycle) => {
    const startedAt = new Date().toISOString();
    const environment = captureEnvironment({ directory: ROOT });
    const results: CaseResult[] = [];
    for (const name of names) results.push(await measureCase(name, plan, cycle));
    const study: PredictionStudy = { startedAt, environment, ...plan, results };
    writeOutput(out, 'prediction.json', `${JSON.stringify(study, null, 1)}\n`);
    writeOutput(out, 'prediction.md', predictionPage(study));
    print(results);
    return 0;
  });

function print(results: readonly CaseResult[]): void {
  const { mean, makespan, p99, covered, worstRegret, share } = summaryOf(results);
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  console.log(
    `median error: mean ${percent(mean)}, makespan ${percent(makespan)}, p99 ${percent(p99)}; in band ${percent(covered)}; ` +
      `worst regret ${percent(worstRegret)}; advice in ${percent(share)} of the sweep`,
  );
}
