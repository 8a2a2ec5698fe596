import { completeBlocks, createRandom, runBlocks } from 'plimsoll/lab';
import type { CommandProgram } from './catalogue.js';
import { makeInputs } from './inputs.js';
import type { ProgramRun, Runs } from './measured.js';
import { BASELINE, type Place, type ProgramPlan } from './plan.js';
import { prepare, reported, startProgram } from './start.js';

const SEED = 2026;
const LONGEST_MS = 120_000;

interface Told {
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
