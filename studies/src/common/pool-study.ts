import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  captureEnvironment,
  ProgressLine,
  readOptions,
  renderTable,
  terminalStyle,
  usage,
} from '@plimsoll/lab';
import { type Command, withGuardian } from './command.js';
import { measureStudy } from './measure.js';
import { checkAlike, chosen, merged } from './merge.js';
import { pageOf } from './page.js';
import { RESULTS, ROOT, writeOutput } from './paths.js';
import { type ConditionResult, isWhole, type StudyResult } from './result.js';
import type { Effort, Study } from './study.js';
import { conditionTable, failuresOf, methodOf } from './tables.js';
import { parseCount } from './values.js';

/** Enough for a generation, and no more. */
const QUICK_MS = 500;
const MOST_SECONDS = 3600;

/** The command of a study of worker pools: measure, print, write the page. 4 when a contender failed. */
export const poolStudy = (study: Study): Command => ({
  name: study.name,
  run: (args) => runStudy(study, args),
});

function runStudy(study: Study, args: readonly string[]): Promise<number> | number {
  const { values } = readOptions(args, {
    quick: { type: 'boolean' },
    time: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
    from: { type: 'string' },
    only: { type: 'string' },
  });
  const effort = values.quick ? 'quick' : 'full';
  const timeMs = timeOf(values.time, effort);
  const seed =
    values.seed === undefined ? randomInt(2 ** 31) : parseCount(values.seed, '--seed', 0, 2 ** 31 - 1);
  const isResult = effort === 'full' && values.time === undefined;
  const out = resolve(values.out ?? (isResult ? RESULTS : join(ROOT, '.cache/study')));
  if (values.from !== undefined) {
    writeOutput(out, `${study.name}.md`, pageOf(study, readStudy(values.from, study)));
    return 0;
  }
  const only = chosen(study, values.only);
  const file = join(out, `${study.name}.json`);
  const earlier = values.only !== undefined && existsSync(file) ? readStudy(file, study) : undefined;
  if (earlier !== undefined)
    checkAlike(earlier, { effort, environment: captureEnvironment({ directory: tmpdir() }) });
  return withGuardian(async (cycle) => {
    await study.prepare?.(cycle.signal);
    const line = new ProgressLine(process.stderr, false);
    const onRound = (text: string): void => line.show(text, (width) => text.slice(0, width - 1));
    const result = await measureStudy(only, { effort, timeMs, seed, ...cycle, onRound }).finally(() =>
      line.clear(),
    );
    print(study, result);
    const all = earlier === undefined ? result : merged(study, earlier, result);
    writeOutput(out, `${study.name}.json`, `${JSON.stringify(all)}\n`);
    writeOutput(out, `${study.name}.md`, pageOf(study, all));
    return result.conditions.every(isWhole) ? 0 : 4;
  });
}

/** For each condition; `null`: what it says itself. */
function timeOf(text: string | undefined, effort: Effort): number | null {
  if (text !== undefined) return parseCount(text, '--time', 1, MOST_SECONDS) * 1000;
  return effort === 'quick' ? QUICK_MS : null;
}

/** @throws {PlimsollError} PLIMSOLL_USAGE when it is something else. */
function readStudy(file: string, { name }: Study): StudyResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as Partial<StudyResult>;
  if (result.kind === 'study' && result.name === name && result.conditions?.every(isCondition))
    return result as StudyResult;
  throw usage(`--from: ${file} is no result of study:${name}, or one of an earlier version`);
}

const isCondition = ({ generations }: Partial<ConditionResult>): boolean => Array.isArray(generations);

function print(study: Study, result: StudyResult): void {
  const { color } = terminalStyle(process.stdout);
  console.log(color.bold(study.title));
  for (const condition of result.conditions) {
    const { columns, rows } = conditionTable(condition);
    console.log(`\n${condition.title} (${methodOf(condition, study)})`);
    console.log(renderTable(columns, rows, process.stdout.columns ?? 200).join('\n'));
    for (const failure of failuresOf(condition)) console.log(color.red(`failed: ${failure}`));
  }
  console.log('');
}
