// Predicts programs from npm and workloads with a known answer from recorded runs, measures what was predicted, and writes how
// wrong it was: prediction.json and prediction.md. `--quick` does a small part into .cache/study-predict; `NAME …` only these
// programs and workloads; `--runs N` other than three runs of each size; `--from FILE` writes the page of an earlier result. An
// interrupted study goes on where it was.
import { readFileSync } from 'node:fs';
import { captureEnvironment, objectives, parseCount, readOptions, usage } from 'plimsoll/lab';
import { positive } from '../common/arguments.js';
import { type Command, withGuardian } from '../common/command.js';
import { RESULTS, ROOT, scratch, writeOutput } from '../common/paths.js';
import { CASES, QUICK, SIZES } from './cases.js';
import { PROGRAM_NAMES } from './held-out.js';
import { measureCase } from './measure.js';
import { predictionPage, summaryOf } from './page.js';
import type { ProgramPlan } from './programs/plan.js';
import { measurePrograms } from './programs/study.js';
import { summaryOf as programSummary, targetsOf } from './programs/summary.js';
import type { CaseResult, PredictionStudy } from './result.js';
import { digestOfModel, Finished } from './resume.js';
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
    const names = chosen(positionals, values.quick);
    const objective = objectives.find((one) => one === values.objective);
    if (objective === undefined)
      throw usage(`--objective: must be ${objectives.join(', ')}, not ${JSON.stringify(values.objective)}`);
    const plan: Plan = {
      runs: parseCount(values.runs ?? (values.quick ? '1' : '3'), '--runs', 1, 100),
      scale: positive(values.scale, '--scale', values.quick ? 0.5 : 1),
      objective,
    };
    const ofPrograms: ProgramPlan = {
      sizes: values.quick ? QUICK_SIZES : SIZES,
      runs: plan.runs,
      recordings: values.quick ? 1 : 2,
      scale: plan.scale,
    };
    const out = values.quick || positionals.length > 0 ? scratch('predict') : RESULTS;
    return measure(names, plan, ofPrograms, out);
  },
};

const ALL: readonly string[] = [...Object.keys(CASES), ...PROGRAM_NAMES];
const QUICK_PROGRAMS = ['better-sqlite3', 'express-bcrypt', 'fastify-static', 'sharp', 'tar-create'];
const QUICK_SIZES = [1, 4, 16];

/** @throws {PlimsollError} PLIMSOLL_USAGE for a name that there is not. */
function chosen(named: readonly string[], isQuick: boolean): readonly string[] {
  const wrong = named.find((name) => !ALL.includes(name));
  if (wrong !== undefined)
    throw usage(`there is no workload or program ${wrong}; there are ${ALL.join(', ')}`);
  if (named.length > 0) return named;
  return isQuick ? [...QUICK, ...QUICK_PROGRAMS] : ALL;
}

const measure = (
  names: readonly string[],
  plan: Plan,
  ofPrograms: ProgramPlan,
  out: string,
): Promise<number> =>
  withGuardian(async (cycle) => {
    const startedAt = new Date().toISOString();
    const environment = captureEnvironment({ directory: ROOT });
    const conditions = {
      plan,
      ofPrograms,
      node: process.version,
      cpu: environment.cpu.model,
      model: digestOfModel(),
    };
    const finished = new Finished(scratch('predict'), conditions);
    const results: CaseResult[] = [];
    for (const name of Object.keys(CASES).filter((one) => names.includes(one)))
      results.push(await finished.once(name, () => measureCase(name, plan, cycle)));
    const wanted = PROGRAM_NAMES.filter((name) => names.includes(name));
    const { programs, skipped } = await measurePrograms(wanted, ofPrograms, cycle, finished);
    const text = `${JSON.stringify({ schema: 'plimsoll/1', kind: 'prediction', startedAt, environment, ...plan, results, programs, skipped }, rounded, 1)}\n`;
    const study = JSON.parse(text) as PredictionStudy;
    writeOutput(out, 'prediction.json', text);
    writeOutput(out, 'prediction.md', predictionPage(study));
    print(study);
    finished.clear();
    return skipped.some(({ because }) => because === 'failed') ? 4 : 0;
  });

/** Five digits are more than anything here is measured to. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

function print({ results, programs = [] }: PredictionStudy): void {
  for (const [half, of] of [
    ['held out', programs.filter(({ isHeldOut }) => isHeldOut)],
    ['seen', programs.filter(({ isHeldOut }) => !isHeldOut)],
  ] as const)
    if (of.length > 0)
      console.log(
        `${half}: ${targetsOf(programSummary(of))
          .map(({ what, reached }) => `${what} ${reached}`)
          .join('; ')}`,
      );
  if (results.length > 0) printSynthetic(results);
}

function printSynthetic(results: readonly CaseResult[]): void {
  const { mean, makespan, p99, covered, worstRegret, share } = summaryOf(results);
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  console.log(
    `median error: mean ${percent(mean)}, makespan ${percent(makespan)}, p99 ${percent(p99)}; in band ${percent(covered)}; ` +
      `worst regret ${percent(worstRegret)}; advice in ${percent(share)} of the sweep`,
  );
}
