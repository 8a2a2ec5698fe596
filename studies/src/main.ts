// `npm run study [-- NAME… --quick]`: arguments in, exit code out. 0 measured, 2 bad input, 4 a contender failed, 130 interrupted.
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  Guardian,
  interruptSignal,
  PlimsollError,
  ProgressLine,
  parseCount,
  renderTable,
  terminalStyle,
} from 'plimsoll/lab';
import { measureStudy } from './common/measure.js';
import { pageOf } from './common/page.js';
import type { StudyResult } from './common/result.js';
import { STUDIES } from './common/studies.js';
import type { Effort, Study } from './common/study.js';
import { blocksOf, conditionTable } from './common/tables.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BLOCKS: Record<Effort, number> = { full: 6, quick: 1 };

interface Arguments {
  readonly studies: readonly Study[];
  readonly effort: Effort;
  readonly blocks: number;
  readonly seed: number;
  readonly out: string;
}

const usage = (text: string): PlimsollError => new PlimsollError('PLIMSOLL_USAGE', text);

/** @throws {PlimsollError} PLIMSOLL_USAGE */
function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const names = STUDIES.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw usage(`there is no study ${JSON.stringify(unknown)}; there are ${names.join(', ')}`);
  const effort = values.quick ? 'quick' : 'full';
  return {
    studies: STUDIES.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    effort,
    blocks: values.blocks === undefined ? BLOCKS[effort] : parseCount(values.blocks, '--blocks', 1, 100),
    seed: values.seed === undefined ? randomInt(2 ** 31) : parseCount(values.seed, '--seed', 0, 2 ** 31 - 1),
    // Figures of anything but a full run are nobody's results.
    out: resolve(
      values.out ??
        join(ROOT, effort === 'full' && values.blocks === undefined ? 'docs/results' : '.cache/study'),
    ),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        blocks: { type: 'string' },
        seed: { type: 'string' },
        out: { type: 'string' },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

async function main({ studies, effort, blocks, seed, out }: Arguments): Promise<number> {
  const line = new ProgressLine(process.stderr, false);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  const { signal } = interrupt;
  let failed = false;
  try {
    for (const study of studies) {
      const onRun = (text: string): void => line.show(text, (width) => text.slice(0, width - 1));
      const result = await measureStudy(study, { effort, blocks, seed, guardian, signal, onRun });
      line.clear();
      print(study, result);
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, `${study.name}.json`), `${JSON.stringify(result)}\n`);
      writeFileSync(join(out, `${study.name}.md`), pageOf(study, result));
      console.error(`wrote ${relative(process.cwd(), join(out, `${study.name}.md`))}`);
      failed ||= result.conditions.some(({ runs }) => runs.some(({ metrics }) => metrics === null));
    }
    return failed ? 4 : 0;
  } catch (error) {
    if (signal.aborted) return 130;
    throw error;
  } finally {
    line.clear();
    await guardian.close();
    interrupt.dispose();
  }
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

try {
  process.exitCode = await main(readArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof PlimsollError)) throw error;
  process.stderr.write(`study: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
