import { join } from 'node:path';
import type { LifeCycle } from '../../common/command.js';
import { scratch } from '../../common/paths.js';
import type { ProgramName } from '../held-out.js';
import type { Finished } from '../resume.js';
import { PROGRAMS, type Program } from './catalogue.js';
import { type Installed, type InstallOptions, install, NotInstalled } from './install.js';
import { measureProgram } from './measure-program.js';
import type { ProgramPlan } from './plan.js';
import type { ProgramResult, SkippedProgram } from './result.js';
import { ProgramFailed } from './start.js';

export interface MeasuredPrograms {
  readonly programs: readonly ProgramResult[];
  readonly skipped: readonly SkippedProgram[];
}

/** Measures programs one after the other; one that cannot be installed, or fails, is skipped with its reason. */
export async function measurePrograms(
  names: readonly ProgramName[],
  plan: ProgramPlan,
  cycle: LifeCycle,
  finished: Finished,
  options: InstallOptions = {},
): Promise<MeasuredPrograms> {
  const chosen = PROGRAMS.filter(({ name }) => names.includes(name));
  if (chosen.length === 0) return { programs: [], skipped: [] };
  const installed = await installedOr({ ...options, signal: cycle.signal });
  if (typeof installed === 'string')
    return { programs: [], skipped: chosen.map((program) => notInstalled(program, installed)) };
  const place = { directory: installed.directory, cache: join(scratch('predict'), 'inputs'), cycle };
  const programs: ProgramResult[] = [];
  const skipped: SkippedProgram[] = [];
  for (const program of chosen) {
    const why = program.packages.flatMap((name) => installed.broken.get(name) ?? [])[0];
    if (why !== undefined) {
      skipped.push(notInstalled(program, why));
      continue;
    }
    try {
      programs.push(await finished.once(program.name, () => measureProgram(program, plan, place)));
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error;
      skipped.push({ name: program.name, because: 'failed', reason: error.message });
    }
  }
  for (const { name, reason } of skipped) process.stderr.write(`${name}: skipped: ${reason}\n`);
  return { programs, skipped };
}

const notInstalled = ({ name }: Program, reason: string): SkippedProgram => ({
  name,
  because: 'not-installed',
  reason,
});

/** @returns the reason when nothing could be installed. */
async function installedOr(options: InstallOptions): Promise<Installed | string> {
  try {
    process.stderr.write('installing the programs; the first time takes some minutes\n');
    return await install(options);
  } catch (error) {
    if (error instanceof NotInstalled) return error.message;
    throw error;
  }
}
