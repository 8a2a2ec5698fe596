/**
 * `plimsoll/lab`: what the commands themselves are built on, for benchmarks and studies of your own: randomised blocks of
 * fresh processes, their clean-up, statistics of paired runs, facts of the machine, tables.
 *
 * Unstable: it changes with any version, without notice. What is stable is `plimsoll`.
 */

export { interruptSignal } from './cli/interrupt.js';
export { type JsonOutput, openJsonOutput } from './cli/json-output.js';
export { ProgressLine } from './cli/progress-line.js';
export { parseCount } from './cli/values.js';
export { PlimsollError } from './errors.js';
export { captureEnvironment, type Environment } from './host/environment.js';
export type { Arm } from './lab/block-order.js';
export {
  type BlockRun,
  type BlocksOutcome,
  type BlocksPlan,
  completeBlocks,
  runBlocks,
} from './lab/blocks.js';
export { converseWithFreshProcess, type Ending, type FreshProcess } from './lab/fresh-process.js';
export { Guardian } from './lab/guardian.js';
export { gapsOf, watchLoopDelay } from './lab/loop-delay.js';
export { openResolver } from './lab/resolver/open.js';
export { type SweepPlan, type SweepRun, sweep, twinNoise } from './lab/sweep.js';
export { environmentLines } from './report/bench-markdown.js';
export { formatDuration } from './report/format.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export { type Column, markdownTable, renderTable } from './report/table.js';
export { list } from './results/words.js';
export { type EventLoopDelay, eventLoopDelay } from './stats/event-loop-delay.js';
export {
  assessNoise,
  type Comparison,
  comparePaired,
  type Noise,
  pairedRatio,
  ratioIfPositive,
  type Verdict,
} from './stats/paired-comparison.js';
export { median, quantile } from './stats/quantile.js';
export { createRandom, type Random } from './stats/random.js';
export { hodgesLehmann, type Interval, signedRankInterval } from './stats/signed-rank.js';
