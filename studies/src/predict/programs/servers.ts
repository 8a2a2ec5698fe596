import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, createRandom } from 'plimsoll/lab';
import type { ServerProgram } from './catalogue.js';
import { makeInputs } from './inputs.js';
import { meanOf, type ProgramRun, type Runs } from './measured.js';
import { BASELINE, type Place, type ProgramPlan, SILENCE_MS, SLICE_MS, SLICES, WARM_UP_MS } from './plan.js';
import { type Prepared, ProgramFailed, prepare, reported, startProgram } from './start.js';
import { Client, type Slice } from './traffic.js';

const SEED = 2026;
/** A server that leaves so much of what came unanswered at the end of a slice does not keep up. */
const BACKLOG = 0.2;

/** Servers of all sizes live at the same time and have slices of traffic in turn. */
export async function measureServer(program: ServerProgram, plan: ProgramPlan, place: Place): Promise<Runs> {
  const { signal } = place.cycle;
  let generation = 0;
  const outcome = await alternate<Slice>({
    groups: [plan.sizes.filter((size) => size !== BASELINE)],
    baseline: BASELINE,
    blocks: SLICES,
    mostGenerations: plan.runs,
    isolated: false,
    random: createRandom(SEED),
    signal,
    open: async (arm) => {
      const live = await openServer(program, arm === 'twin' ? BASELINE : arm, place);
      let slices = SEED + 100 * generation;
      return {
        round: () => live.client.slice(program.traffic, SLICE_MS * plan.scale, slices++),
        close: live.close,
        end: live.close,
      };
    },
    hasTime: () => true,
    isSettled: () => {
      generation++;
      return false;
    },
    onRound: ({ generation: of, block, arm }) =>
      process.stderr.write(`${program.name}: generation ${of + 1}, slice ${block + 1}, ${arm}\n`),
  });
  if (outcome.error !== undefined) throw outcome.error;
  const ofArm = (arm: number | 'twin'): ProgramRun[] =>
    Array.from({ length: outcome.generations }, (_, of) =>
      outcome.rounds
        .filter((round) => round.generation === of && round.arm === arm)
        .map(({ result }) => result),
    ).flatMap((slices) => (slices.length === 0 ? [] : [runOf(arm === 'twin' ? BASELINE : arm, slices)]));
  return { measured: plan.sizes.flatMap(ofArm), twins: ofArm('twin') };
}

interface Live {
  readonly client: Client;
  close(): Promise<void>;
}

/** A server that has answered for a while. @throws {ProgramFailed} when it does not start, or answers with errors. */
async function openServer(
  program: ServerProgram,
  size: number,
  { directory, cache, cycle }: Place,
): Promise<Live> {
  const prepared = prepare(program, directory, makeInputs(program.input, cache), 0, cycle);
  const running = await startProgram(prepared, size, cycle);
  const closing = async (): Promise<void> => {
    await running.close();
    cycle.guardian.remove(prepared.scratch);
  };
  try {
    const client = await warmClient(program, prepared, running.ended, cycle.signal);
    let closed: Promise<void> | null = null;
    return {
      client,
      close() {
        client.close();
        closed ??= closing();
        return closed;
      },
    };
  } catch (error) {
    await closing();
    throw error;
  }
}

async function warmClient(
  { exchange, traffic }: ServerProgram,
  prepared: Prepared,
  hasEnded: () => string | null,
  signal: AbortSignal,
): Promise<Client> {
  const { port } = await reported<{ port: number }>(prepared, signal, hasEnded);
  const client = new Client(port, exchange, signal);
  try {
    const { failures, latenciesMs } = await client.slice(traffic, WARM_UP_MS, SEED);
    if (latenciesMs.length === 0) throw new ProgramFailed(`it answered none of ${failures} requests`);
    await sleep(SILENCE_MS, undefined, { signal });
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

function runOf(size: number, slices: readonly Slice[]): ProgramRun {
  const failures = slices.reduce((sum, one) => sum + one.failures, 0);
  if (failures > 0) throw new ProgramFailed(`${failures} of its requests were not answered with success`);
  return {
    size,
    unitsMs: slices.flatMap(({ latenciesMs }) => latenciesMs),
    perSecond: meanOf(slices.map(({ perSecond }) => perSecond)),
    makespanMs: null,
    isOverloaded: meanOf(slices.map(({ backlog }) => backlog)) > BACKLOG,
  };
}
