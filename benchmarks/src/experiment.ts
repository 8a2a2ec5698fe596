import { fileURLToPath } from 'node:url';
import { createRandom, type Guardian, type Random } from '@plimsoll/lab';
import { askFreshProcess } from './blocks/ask-fresh-process.js';
import { type BlocksOutcome, runBlocks } from './blocks/blocks.js';
import type { Outcome } from './blocks/outcome.js';
import type { Case } from './cases/case.js';
import type { Job } from './child/messages.js';
import { BASELINE, type ContenderName } from './contenders/contenders.js';
import type { Effort } from './support/effort.js';

export interface Plan {
  readonly case: Case;
  readonly effort: Effort;
  readonly blocks: number;
  readonly seed: number;
  /** The node that the contenders run in. */
  readonly node: string;
}

export type CaseOutcome = BlocksOutcome<Outcome, ContenderName>;

const ENTRY = fileURLToPath(new URL('./child/main.js', import.meta.url));
const LEAST_DEADLINE_MS = 20_000;

/** What the others of a case are compared with; a case of one contender compares it with itself. */
export const baselineOf = ({ contenders }: Case): ContenderName =>
  contenders.includes(BASELINE) ? BASELINE : (contenders[0] as ContenderName);

export const blocksOf = ({ blocksFactor = 1 }: Case, blocks: number): number =>
  Math.max(1, Math.round(blocks * blocksFactor));

/** Measure every contender of a case in fresh processes, in randomised blocks. */
export function runCase(
  plan: Plan,
  guardian: Guardian,
  signal: AbortSignal,
  onRun: (contender: ContenderName, block: number, outcome: Outcome) => void,
): Promise<CaseOutcome> {
  const random = createRandom(plan.seed);
  const unable = new Map<ContenderName, Outcome>();
  return runBlocks<Outcome, ContenderName>({
    sizes: plan.case.contenders,
    baseline: baselineOf(plan.case),
    blocks: blocksOf(plan.case, plan.blocks),
    random,
    async run(contender) {
      // What a library has no way to do it will not have in the next block either.
      const known = unable.get(contender);
      if (known !== undefined) return known;
      const outcome = await runOnce(plan, contender, guardian, random, signal);
      if (outcome.type === 'cannot') unable.set(contender, outcome);
      return outcome;
    },
    cpuSecondsOf: (outcome) => (outcome.type === 'measured' ? outcome.cpuSeconds : 0),
    onRun: ({ arm, block, result }) => onRun(arm === 'twin' ? baselineOf(plan.case) : arm, block, result),
  });
}

async function runOnce(
  { case: { name, expectedMs }, effort, node }: Plan,
  contender: ContenderName,
  guardian: Guardian,
  random: Random,
  signal: AbortSignal,
): Promise<Outcome> {
  const deadlineMs = Math.max(LEAST_DEADLINE_MS, 4 * expectedMs[effort]);
  const job: Job = { case: name, contender, effort };
  return askFreshProcess({ command: [node, ENTRY], env: {}, job, deadlineMs }, guardian, random, signal);
}
