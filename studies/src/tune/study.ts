// How right `plimsoll tune` is; writes docs/results/tune.json and tune.md. `--quick`: short turns, into .cache/study-tune. `--only
// NAME,NAME`: some programs, which replace those of the result that is there. `--part programs|cost|errors`: one part of it. `--from
// FILE`: the page of an earlier result.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureEnvironment, readOptions, usage } from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { ask } from './answer.js';
import { PROGRAMS, type Program } from './catalogue.js';
import { measureCost } from './cost.js';
import { measureErrors } from './errors.js';
import { install, SOURCE } from './install.js';
import { tunePage } from './page.js';
import { openPlace } from './place.js';
import { PLANS, type StudyPlan } from './plan.js';
import type { ProgramResult, Slice, TuneStudyResult } from './result.js';
import { openRuns, openServers } from './truth.js';

const PARTS = ['programs', 'cost', 'errors'] as const;
type Part = (typeof PARTS)[number];

export const tuneStudy: Command = {
  name: 'tune',
  run(args) {
    const { values } = readOptions(args, {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      part: { type: 'string' },
      from: { type: 'string' },
    });
    if (values.from !== undefined) {
      writeOutput(RESULTS, 'tune.md', tunePage(readResult(values.from)));
      return 0;
    }
    const effort = values.quick ? 'quick' : 'full';
    const programs = chosenPrograms(values.only);
    const part = chosenPart(values.part);
    return withGuardian((cycle) => measure(effort, programs, part, cycle));
  },
};

function chosenPrograms(only: string | undefined): readonly Program[] {
  if (only === undefined) return PROGRAMS;
  return only.split(',').map((name) => {
    const program = PROGRAMS.find((candidate) => candidate.name === name);
    if (program !== undefined) return program;
    throw usage(
      `--only: there is no program ${JSON.stringify(name)}; there are ${PROGRAMS.map((one) => one.name).join(', ')}`,
    );
  });
}

function chosenPart(text: string | undefined): Part | null {
  if (text === undefined) return null;
  const part = PARTS.find((candidate) => candidate === text);
  if (part !== undefined) return part;
  throw usage(`--part: must be ${PARTS.join(', ')}, not ${JSON.stringify(text)}`);
}

function readResult(file: string): TuneStudyResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as TuneStudyResult;
  if (result.kind !== 'tune-study') throw usage(`${file} is no result of study:tune`);
  return result;
}

async function measure(
  effort: TuneStudyResult['effort'],
  programs: readonly Program[],
  part: Part | null,
  cycle: LifeCycle,
): Promise<number> {
  const out = effort === 'full' ? RESULTS : scratch('tune');
  const startedAt = new Date();
  const { directory, broken } = await install({ signal: cycle.signal });
  const environment = captureEnvironment({ directory: cycle.guardian.temporaryDirectory() });
  const before = earlier(join(out, 'tune.json'), effort);
  let result: TuneStudyResult = {
    ...{ schema: 'plimsoll/1', kind: 'tune-study', effort, startedAt: startedAt.toISOString(), seconds: 0 },
    environment,
    versions: pinnedVersions(),
    programs: before?.programs ?? [],
    cost: before?.cost ?? null,
    errors: before?.errors ?? null,
  };
  const secondsBefore = before?.seconds ?? 0;
  const keep = (more: Partial<TuneStudyResult>): void => {
    result = { ...result, ...more, seconds: secondsBefore + (Date.now() - startedAt.getTime()) / 1000 };
    writeOutput(out, 'tune.json', `${JSON.stringify(result, null, 1)}\n`);
    writeOutput(out, 'tune.md', tunePage(result));
  };
  if (part === null || part === 'errors') keep({ errors: await measureErrors(effort, cycle) });
  if (part === null || part === 'cost') keep({ cost: await measureCost(effort, directory, cycle) });
  if (part === null || part === 'programs')
    for (const program of programs) {
      const broke = program.packages.find((name) => broken.has(name));
      const measured =
        broke === undefined
          ? await measureProgram(program, directory, PLANS[effort], cycle)
          : { name: program.name, slices: [], answer: null, failure: broken.get(broke) ?? broke };
      const others = result.programs.filter(({ name }) => name !== program.name);
      keep({ programs: [...others, measured].toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
    }
  return result.programs.some(({ failure }) => failure !== null) ? 4 : 0;
}

function earlier(file: string, effort: TuneStudyResult['effort']): TuneStudyResult | null {
  try {
    const result = readResult(file);
    return result.effort === effort ? result : null;
  } catch {
    return null;
  }
}

function pinnedVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

/** Truth, then `tune`, then truth again: what drifts meets both. */
async function measureProgram(
  program: Program,
  directory: string,
  plan: StudyPlan,
  cycle: LifeCycle,
): Promise<ProgramResult> {
  const { name } = program;
  const slices: Slice[] = [];
  process.stderr.write(`tune: ${name}\n`);
  const place = await openPlace(program, directory, scratch('tune'), cycle);
  try {
    const truth =
      program.kind === 'server'
        ? await openServers(program, place.command, cycle)
        : openRuns(program, place.command, cycle);
    try {
      slices.push(...(await truth.measure(plan)));
      const answer = await ask(program, place.command, plan, cycle);
      slices.push(...(await truth.measure(plan)));
      return { name, slices, answer, failure: null };
    } finally {
      await truth.close();
    }
  } catch (error) {
    cycle.signal.throwIfAborted();
    const { message } = error as Error;
    process.stderr.write(`tune: ${name} failed: ${message}\n`);
    return { name, slices, answer: null, failure: message.replaceAll(directory, '…') };
  } finally {
    await place.close();
  }
}
