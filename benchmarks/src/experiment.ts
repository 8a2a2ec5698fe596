import { fileURLToPath } from 'node:url';
import { createRandom, type Guardian } from '@plimsoll/lab';
import { type BlocksOutcome, runBlocks } from './blocks/blocks.js';
import type { Outcome } from './blocks/outcome.js';
import { Processes } from './blocks/processes.js';
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
const LEAST_DEADLINE_MS = 120_000;
/** Of processes that stay: none ends or starts meanwhile. */
const BETWEEN_ROUNDS_MS = 10;

/** What the others of a case are compared with; a case of one contender compares it with itself. */
export const baselineOf = ({ contenders }: Case): ContenderName =>
  contenders.includes(BASELINE) ? BASELINE : (contenders[0] as ContenderName);

export const blocksOf = ({ blocksFactor = 1 }: Case, blocks: number): number =>
  Math.max(1, Math.round(blocks * blocksFactor));

/** Measure every contender of a case in randomised blocks, in processes that are renewed. */
export async function runCase(
  { case: one, effort, blocks, seed, node }: Plan,
  guardian: Guardian,
  signal: AbortSignal,
  onRun: (contender: ContenderName, block: number, outcome: Outcome) => void,
): Promise<CaseOutcome> {
  const random = createRandom(seed);
  const unable = new Map<ContenderName, Outcome>();
  const deadlineMs = Math.max(LEAST_DEADLINE_MS, 4 * one.expectedMs[effort]);
  const runsEach = one.runsPerProcess ?? 1;
  const start = { command: [node, ENTRY], env: {} };
  const processes = new Processes<ContenderName>(start, runsEach, guardian, random);
  try {
    return await runBlocks<Outcome, ContenderName>({
      sizes: one.contenders,
      baseline: baselineOf(one),
      blocks: blocksOf(one, blocks),
      random,
      ...(runsEach > 1 && { coolDownMs: BETWEEN_ROUNDS_MS }),
      async run(contender, _, arm) {
        // What a library has no way to do it will not have in the next block either.
        const known = unable.get(contender);
        if (known !== undefined) return known;
        const job: Job = { case: one.name, contender, effort };
        // Nothing is compared in a smoke run: there the twin shares the process of the baseline.
        const outcome = await processes.ask(
          effort === 'smoke' ? contender : arm,
          { job, deadlineMs },
          signal,
        );
        if (outcome.type === 'cannot') unable.set(contender, outcome);
        return outcome;
      },
      cpuSecondsOf: (outcome) => (outcome.type === 'measured' ? outcome.cpuSeconds : 0),
      onRun: ({ arm, block, result }) => onRun(arm === 'twin' ? baselineOf(one) : arm, block, result),
    });
  } finally {
    await processes.end();
  }
}
