import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Arm,
  blockOrders,
  disturbancesOf,
  type MachineCounters,
  type MachineNoise,
  type MachineReading,
  machineNoise,
  type Random,
  readMachine,
  readMachineCounters,
} from '@plimsoll/lab';

/** A run in its place. */
export interface BlockRun<Result, Id extends string | number = number> {
  readonly block: number;
  readonly order: number;
  readonly arm: Arm<Id>;
  readonly result: Result;
  /** What the machine did to it; never derived from the result. */
  readonly disturbances: string[];
  superseded: boolean;
}

/** Narrows down when the machine is watched for noise, for runs that have a noisy beginning or end of their own. */
export interface MachineWatch {
  begin(): void;
  end(): void;
}

export interface BlocksPlan<Result, Id extends string | number = number> {
  /** The contestants, such as pool sizes, the baseline among them. */
  readonly sizes: readonly Id[];
  readonly baseline: Id;
  readonly blocks: number;
  readonly random: Random;
  /** Runs of an earlier, interrupted execution of this same plan, in their order; they are taken as they are. */
  readonly recorded?: readonly BlockRun<Result, Id>[];
  /** Measure one of them. The machine is watched all the while, unless the run says when. `arm` tells the twin apart. */
  run(size: Id, watch: MachineWatch, arm: Arm<Id>): Promise<Result>;
  /** Before each run. Default: what the end of one process needs before the next is started. */
  readonly coolDownMs?: number;
  /** CPU time that a run used itself while it was watched, in seconds; `null` when that is not known. */
  cpuSecondsOf(result: Result): number | null;
  /** Reads the machine's counters. Default: those of this machine. */
  readonly readCounters?: () => MachineCounters;
  onRun?(run: BlockRun<Result, Id>, progress: { done: number; planned: number }): void;
}

export interface BlocksOutcome<Result, Id extends string | number = number> {
  /** Every run, those of superseded and incomplete blocks too. */
  readonly runs: BlockRun<Result, Id>[];
  readonly repeatedBlocks: number;
  /** What ended the experiment early; the runs before it are kept. */
  readonly error: unknown;
}

const COOL_DOWN_MS = 50;
const MOST_EXTRA = 0.3;

/**
 * Run randomised complete blocks: every size and the baseline's twin once in each. A block that noise from outside
 * hit is superseded and run again, for at most 30 % more blocks than planned; after that, marked blocks stay.
 *
 * Never throws for a failed run: what was measured before it is part of the outcome.
 */
export async function runBlocks<Result, Id extends string | number = number>(
  plan: BlocksPlan<Result, Id>,
): Promise<BlocksOutcome<Result, Id>> {
  const orders = blockOrders(plan.sizes, plan.blocks, plan.random);
  const arms = plan.sizes.length + 1;
  const mostRepeats = Math.floor(plan.blocks * MOST_EXTRA);
  const history = new Map<Arm<Id>, MachineNoise[]>();
  const runs: BlockRun<Result, Id>[] = [];
  let repeatedBlocks = 0;

  const recorded = [...(plan.recorded ?? [])];

  const runArm = async (arm: Arm<Id>, block: number, order: number): Promise<BlockRun<Result, Id>> => {
    const known = recorded.shift();
    if (known !== undefined && known.block === block && known.arm === arm)
      return { ...known, superseded: false };
    // Of another plan: what follows it is no better.
    recorded.length = 0;
    await sleep(plan.coolDownMs ?? COOL_DOWN_MS);
    const size = arm === 'twin' ? plan.baseline : (arm as Id);
    const watch = new Watch(plan.readCounters ?? readMachineCounters);
    const result = await plan.run(size, watch, arm);
    const noise = watch.noise(plan.cpuSecondsOf(result));
    const earlier = history.get(size) ?? [];
    history.set(size, [...earlier, noise]);
    return { block, order, arm, result, disturbances: disturbancesOf(noise, earlier), superseded: false };
  };

  try {
    for (let block = 0; block < orders.length; block++) {
      const ofBlock: BlockRun<Result, Id>[] = [];
      for (const [order, arm] of (orders[block] as Arm<Id>[]).entries()) {
        const run = await runArm(arm, block, order);
        ofBlock.push(run);
        runs.push(run);
        plan.onRun?.(run, { done: runs.length, planned: (plan.blocks + repeatedBlocks) * arms });
      }
      if (repeatedBlocks < mostRepeats && ofBlock.some(({ disturbances }) => disturbances.length > 0)) {
        for (const run of ofBlock) run.superseded = true;
        repeatedBlocks++;
        block--;
      }
    }
    return { runs, repeatedBlocks, error: undefined };
  } catch (error) {
    return { runs, repeatedBlocks, error };
  }
}

/** The runs of complete blocks that no repetition replaced, by arm, each in the order of the blocks. */
export function completeBlocks<Result, Id extends string | number = number>(
  { runs }: BlocksOutcome<Result, Id>,
  sizes: readonly Id[],
): Map<Arm<Id>, BlockRun<Result, Id>[]> {
  const valid = runs.filter(({ superseded }) => !superseded);
  const arms: Arm<Id>[] = [...sizes, 'twin'];
  const of = (arm: Arm<Id>): BlockRun<Result, Id>[] => valid.filter((run) => run.arm === arm);
  // Blocks run one after another, so only the last can be incomplete.
  const complete = Math.min(...arms.map((arm) => of(arm).length));
  return new Map(arms.map((arm) => [arm, of(arm).slice(0, complete)]));
}

class Watch implements MachineWatch {
  readonly #readCounters: () => MachineCounters;
  #before: MachineReading;
  #after: MachineReading | null = null;

  constructor(readCounters: () => MachineCounters) {
    this.#readCounters = readCounters;
    this.#before = readMachine(this.#readCounters);
  }

  begin(): void {
    this.#before = readMachine(this.#readCounters);
  }

  end(): void {
    this.#after = readMachine(this.#readCounters);
  }

  /** @param runSeconds CPU time of the run meanwhile; that of this process is added. */
  noise(runSeconds: number | null): MachineNoise {
    const after = this.#after ?? readMachine(this.#readCounters);
    const ownSeconds = after.cpuSeconds - this.#before.cpuSeconds;
    const seconds = runSeconds === null ? null : runSeconds + ownSeconds;
    return machineNoise(this.#before.counters, after.counters, seconds);
  }
}
