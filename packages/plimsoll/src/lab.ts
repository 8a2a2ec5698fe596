/**
 * `plimsoll/lab`: what the commands themselves are built on, for benchmarks and studies of your own: randomised blocks of
 * fresh processes, their clean-up, statistics of paired runs, facts of the machine, tables.
 *
 * Unstable: it changes with any version, without notice. What is stable is `plimsoll`.
 */

export { verification } from './advise/verify.js';
export { analyseWorkload } from './bench/analyse.js';
export { findings } from './bench/findings/findings.js';
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
export { Guardian, withGuardian } from './lab/guardian.js';
export { openResolver } from './lab/resolver/open.js';
export { simulate } from './model/simulate.js';
export { environmentLines } from './report/bench-markdown.js';
export { formatDuration } from './report/format.js';
export {
  loadMethodLines,
  loadRecommendationsMarkdown,
  loadTableMarkdown,
} from './report/load-markdown.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export { type Column, markdownTable, renderTable } from './report/table.js';
export { list } from './results/words.js';
export { arrivalLateness, type Lateness } from './stats/lateness.js';
export { pairedRatio } from './stats/paired-comparison.js';
export { median, quantile } from './stats/quantile.js';
export { createRandom, type Random } from './stats/random.js';
export { hodgesLehmann, type Interval, signedRankInterval } from './stats/signed-rank.js';
export { record } from './trace/record.js';
