// `npm run bench:pool`: arguments in, exit code out. 0 measured, 2 bad input, 4 our own pool failed, 130 interrupted.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  Guardian,
  interruptSignal,
  openJsonOutput,
  PlimsollError,
  ProgressLine,
  terminalStyle,
} from '@plimsoll/lab';
import { analyse } from './analyse.js';
import { type Arguments, HELP, readArguments } from './arguments.js';
import type { Case } from './cases/case.js';
import { installedVersions } from './common/versions.js';
import { CONTENDERS } from './contenders/contenders.js';
import { runCase } from './experiment.js';
import { writePage } from './page.js';
import { Progress } from './progress.js';
import { caseReport } from './report/terminal.js';
import type { BenchPoolResult, CaseResult } from './result.js';

async function main(args: Arguments): Promise<number> {
  const json = openJsonOutput(args.json);
  // With the JSON on standard output, everything for people goes to standard error.
  const people = args.json === '-' ? process.stderr : process.stdout;
  // A file or a pipe has room for every column.
  const style = { ...terminalStyle(people), width: people.columns ?? 200 };
  const line = new ProgressLine(process.stderr, false);
  const progress = new Progress(args.cases, args.effort, args.blocks);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  const cases: CaseResult[] = [];
  try {
    const environment = environmentOf(args.node);
    for (const one of args.cases) {
      const result = await measure(one, args, { guardian, line, progress, signal: interrupt.signal });
      line.clear();
      if (result.blocks > 0) {
        cases.push(result);
        people.write(`${caseReport(result, style)}\n`);
      }
      if (interrupt.signal.aborted) break;
    }
    const result: BenchPoolResult = {
      schema: 'plimsoll/1',
      kind: 'bench-pool',
      environment,
      versions: contenderVersions(),
      interrupted: interrupt.signal.aborted,
      cases,
    };
    json?.write(result);
    if (args.page !== null && !result.interrupted) writePage(args.page, result);
    return exitCode(result);
  } finally {
    line.clear();
    await guardian.close();
    interrupt.dispose();
  }
}

interface Surroundings {
  readonly guardian: Guardian;
  readonly line: ProgressLine;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function measure(
  one: Case,
  { effort, blocks, seed, node }: Arguments,
  { guardian, line, progress, signal }: Surroundings,
): Promise<CaseResult> {
  const startedAt = new Date();
  const plan = { case: one, effort, blocks, seed, node };
  const outcome = await runCase(plan, guardian, signal, (contender, block) => {
    progress.runDone(one);
    line.show(`${one.name} ${block}`, (width) =>
      progress.text(`${one.name}: block ${block + 1}, ${contender}`, width),
    );
  });
  if (outcome.error !== undefined && !signal.aborted) throw outcome.error;
  return analyse(plan, outcome, startedAt);
}

function environmentOf(node: string): Environment {
  const entry = fileURLToPath(new URL('./child/environment.js', import.meta.url));
  return JSON.parse(execFileSync(node, [entry], { encoding: 'utf8' })) as Environment;
}

/** Of the contenders' packages as installed; the code of ours changes between releases. */
function contenderVersions(): Record<string, string> {
  const libraries = new Set(Object.values(CONTENDERS).flatMap(({ library }) => library ?? []));
  return installedVersions([...libraries], (name) => import.meta.resolve(name), [
    CONTENDERS.plimsoll.library,
  ]);
}

function exitCode({ interrupted, cases }: BenchPoolResult): number {
  if (interrupted) return 130;
  const failed = cases.some(({ rows }) =>
    rows.some(({ contender, without }) => contender === 'plimsoll' && without !== null),
  );
  return failed ? 4 : 0;
}

try {
  const args = readArguments(process.argv.slice(2));
  if (args === null) process.stdout.write(HELP);
  else process.exitCode = await main(args);
} catch (error) {
  if (!(error instanceof PlimsollError)) throw error;
  process.stderr.write(`bench:pool: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
