import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ProgressLine, parseCount, readOptions, renderTable, terminalStyle } from 'plimsoll/lab';
import { type Command, withGuardian } from './command.js';
import { measureStudy } from './measure.js';
import { pageOf } from './page.js';
import { RESULTS, ROOT, writeOutput } from './paths.js';
import type { StudyResult } from './result.js';
import type { Effort, Study } from './study.js';
import { blocksOf, conditionTable } from './tables.js';

const BLOCKS: Record<Effort, number> = { full: 6, quick: 1 };

/** The command of a study of worker pools: measure, print, write the page. 4 when a contender failed. */
export const poolStudy = (study: Study): Command => ({
  name: study.name,
  run: (args) => runStudy(study, args),
});

function runStudy(study: Study, args: readonly string[]): Promise<number> | number {
  const { values } = readOptions(args, {
    quick: { type: 'boolean' },
    blocks: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
    from: { type: 'string' },
  });
  const effort = values.quick ? 'quick' : 'full';
  const blocks = values.blocks === undefined ? BLOCKS[effort] : parseCount(values.blocks, '--blocks', 1, 100);
  const seed =
    values.seed === undefined ? randomInt(2 ** 31) : parseCount(values.seed, '--seed', 0, 2 ** 31 - 1);
  const isResult = effort === 'full' && values.blocks === undefined;
  const out = resolve(values.out ?? (isResult ? RESULTS : join(ROOT, '.cache/study')));
  if (values.from !== undefined) {
    const result = JSON.parse(readFileSync(values.from, 'utf8')) as StudyResult;
    writeOutput(out, `${study.name}.md`, pageOf(study, result));
    return 0;
  }
  return withGuardian(async (cycle) => {
    const line = new ProgressLine(process.stderr, false);
    const onRun = (text: string): void => line.show(text, (width) => text.slice(0, width - 1));
    const result = await measureStudy(study, { effort, blocks, seed, ...cycle, onRun }).finally(() =>
      line.clear(),
    );
    print(study, result);
    writeOutput(out, `${study.name}.json`, `${JSON.stringify(result)}\n`);
    writeOutput(out, `${study.name}.md`, pageOf(study, result));
    return result.conditions.some(({ runs }) => runs.some(({ metrics }) => metrics === null)) ? 4 : 0;
  });
}

function print({ title }: Study, result: StudyResult): void {
  const { color } = terminalStyle(process.stdout);
  console.log(color.bold(title));
  for (const condition of result.conditions) {
    const { columns, rows } = conditionTable(condition);
    console.log(`\n${condition.title} (${blocksOf(condition)})`);
    console.log(renderTable(columns, rows, process.stdout.columns ?? 200).join('\n'));
    const failures = new Set(condition.runs.flatMap(({ failure }) => failure ?? []));
    for (const failure of failures) console.log(color.red(`failed: ${failure}`));
  }
  console.log('');
}
