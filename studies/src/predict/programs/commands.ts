import { completeBlocks, createRandom, record, runBlocks } from 'plimsoll/lab';
import { BASELINE } from '../cases.js';
import type { CommandProgram } from './catalogue.js';
import { makeInputs } from './inputs.js';
import type { ProgramRun } from './measured.js';
import { type Place, type ProgramPlan, SILENCE_MS } from './plan.js';
import type { RecordedRun, Runs } from './run.js';
import { since } from './since.js';
import { type Prepared, ProgramFailed, prepare, reported, startProgram } from './start.js';

const SEED = 2026;
const LONGEST_MS = 120_000;

interface Told {
  /** When its work began, in milliseconds since 1970. */
  readonly beganAt: number;
  readonly makespanMs: number;
  readonly unitsMs: readonly number[];
}

const unitsOf = ({ units }: CommandProgram, { scale }: ProgramPlan): number =>
  Math.max(2, Math.round(units * scale));

/** Fresh processes of all sizes in random order, block after block. */
export async function measureCommand(
  program: CommandProgram,
  plan: ProgramPlan,
  place: Place,
): Promise<Runs> {
  const outcome = await runBlocks<ProgramRun>({
    sizes: plan.sizes,
    baseline: BASELINE,
    blocks: plan.runs,
    random: createRandom(SEED),
    run: (size) => runOnce(program, size, plan, place),
    cpuSecondsOf: () => null,
    onRun: ({ block, arm }) => process.stderr.write(`${program.name}: block ${block + 1}, ${arm}\n`),
  });
  if (outcome.error !== undefined) throw outcome.error;
  const complete = completeBlocks(outcome, plan.sizes);
  const of = (arm: number | 'twin'): ProgramRun[] => (complete.get(arm) ?? []).map(({ result }) => result);
  return { measured: plan.sizes.flatMap(of), twins: of('twin') };
}

async function runOnce(
  program: CommandProgram,
  size: number,
  plan: ProgramPlan,
  { directory, cache, cycle }: Place,
): Promise<ProgramRun> {
  const inputs = makeInputs(program.input, cache);
  const prepared = prepare(program, directory, inputs, unitsOf(program, plan), cycle);
  const running = await startProgram(prepared, size, cycle);
  try {
    const { makespanMs, unitsMs } = await reported<Told>(prepared, cycle.signal, running.ended, LONGEST_MS);
    return { size, unitsMs, perSecond: null, makespanMs, isOverloaded: false };
  } finally {
    await running.close();
    cycle.guardian.remove(prepared.scratch);
  }
}

/** One run under the recorder; the loading of the program is no part of the trace. */
export async function recordCommand(
  program: CommandProgram,
  plan: ProgramPlan,
  place: Place,
): Promise<RecordedRun> {
  const { directory, cache, cycle } = place;
  const prepared: Prepared = prepare(
    program,
    directory,
    makeInputs(program.input, cache),
    unitsOf(program, plan),
    cycle,
  );
  try {
    const trace = await record(prepared.command, { size: BASELINE, stdout: 'nowhere' }, cycle);
    cycle.signal.throwIfAborted();
    const told = await reported<Told>(prepared, cycle.signal, () => 'it told nothing while it was recorded');
    if (trace.ending !== 'ended') throw new ProgramFailed(`under the recorder it ${trace.ending}`);
    const fromMs = told.beganAt - Date.parse(trace.startedAt) - SILENCE_MS / 2;
    return { trace: since(trace, () => fromMs), unitsMs: told.unitsMs };
  } finally {
    cycle.guardian.remove(prepared.scratch);
  }
}
