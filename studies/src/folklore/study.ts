// What people say about UV_THREADPOOL_SIZE, each claim decided by a small program; writes folklore.json and folklore.md.
// With names of claims, only those, and the page is printed. `--quick`: the Node that runs, little time, into
// .cache/study-folklore. `--from FILE` judges an earlier result again.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { captureEnvironment, readOptions, usage } from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import type { Effort } from '../common/study.js';
import { type Claim, NotHere } from './claim.js';
import { CLAIMS } from './claims.js';
import { Lab } from './lab.js';
import { measureReads, measureSizes } from './measured.js';
import { folklorePage } from './page.js';
import type { ClaimResult, FolkloreResult } from './result.js';

export const folklore: Command = {
  name: 'folklore',
  run(args) {
    const { values, positionals } = readOptions(
      args,
      { quick: { type: 'boolean' }, from: { type: 'string' } },
      true,
    );
    const claims = chosen(positionals);
    const isResult = values.quick !== true && claims.length === CLAIMS.length;
    const out = isResult ? RESULTS : scratch('folklore');
    const write = (result: FolkloreResult): number => {
      const page = folklorePage(result);
      if (!isResult) process.stdout.write(page);
      writeOutput(out, 'folklore.json', `${JSON.stringify(result)}\n`);
      writeOutput(out, 'folklore.md', page);
      return 0;
    };
    if (values.from !== undefined) return write(readFolklore(values.from));
    return withGuardian(async (cycle) => write(await decide(claims, values.quick ? 'quick' : 'full', cycle)));
  },
};

/** @throws {PlimsollError} PLIMSOLL_USAGE for a name that is none. */
function chosen(names: readonly string[]): readonly Claim[] {
  const unknown = names.find((name) => CLAIMS.every(({ id }) => id !== name));
  if (unknown !== undefined)
    throw usage(
      `there is no claim ${JSON.stringify(unknown)}; there are ${CLAIMS.map(({ id }) => id).join(', ')}`,
    );
  return names.length === 0 ? CLAIMS : CLAIMS.filter(({ id }) => names.includes(id));
}

/** @throws {PlimsollError} PLIMSOLL_USAGE when it is something else. */
function readFolklore(file: string): FolkloreResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as Partial<FolkloreResult>;
  if (result.kind === 'folklore') return result as FolkloreResult;
  throw usage(`--from: ${file} is no result of study:folklore`);
}

async function decide(claims: readonly Claim[], effort: Effort, cycle: LifeCycle): Promise<FolkloreResult> {
  const started = new Date();
  const lab = await Lab.open(effort, cycle);
  const results: ClaimResult[] = [];
  for (const claim of claims) {
    cycle.signal.throwIfAborted();
    console.error(claim.says);
    results.push(await observed(claim, lab));
  }
  const needs = (what: Claim['needs']): boolean => claims.some((claim) => claim.needs === what);
  const bench = needs('bench') ? measureSizes(effort) : null;
  const reads = needs('reads') ? await measureReads(effort, cycle) : null;
  return {
    schema: 'plimsoll/1',
    kind: 'folklore',
    effort,
    startedAt: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 1000),
    environment: captureEnvironment({ directory: tmpdir() }),
    claims: results,
    bench,
    reads,
  };
}

async function observed({ id, observe }: Claim, lab: Lab): Promise<ClaimResult> {
  try {
    return { id, counted: (await observe?.(lab)) ?? null, skipped: null };
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    return { id, counted: null, skipped: error.message };
  }
}
