/**
 * `plimsoll/lab`: what the commands themselves are built on, for benchmarks and studies of your own: alternating rounds and
 * randomised blocks of fresh processes, their clean-up, statistics of paired runs, facts of the machine, tables.
 *
 * Unstable: it changes with any version, without notice. What is stable is `plimsoll`.
 */

export { type RecordedTrace, recordTrace as record } from './api/trace.js';
export { analyseWorkload } from './bench/analyse.js';
export type { ChosenWorkload } from './bench/options.js';
export { interruptSignal } from './cli/interrupt.js';
export { type JsonOutput, openJsonOutput } from './cli/json-output.js';
export { ProgressLine } from './cli/progress-line.js';
export { readOptions } from './cli/read-options.js';
export { parseCount } from './cli/values.js';
export { PlimsollError, usage } from './errors.js';
export { captureEnvironment, type Environment } from './host/environment.js';
export { diffPoolThreads, type ThreadInfo } from './host/pool-threads.js';
export { installedVersions } from './host/versions.js';
export {
  type AlternatingOutcome,
  type AlternatingRound,
  alternate,
  type Contestant,
} from './lab/alternating.js';
export { type Arm, blockOrders } from './lab/block-order.js';
export {
  type BlockRun,
  type BlocksOutcome,
  type BlocksPlan,
  completeBlocks,
  runBlocks,
} from './lab/blocks.js';
export { startCommand } from './lab/command.js';
export { fitGenerations } from './lab/fit-generations.js';
export { askFreshProcess } from './lab/fresh-process.js';
export { GenerationWatch } from './lab/generation-watch.js';
export { Guardian } from './lab/guardian.js';
export { LiveContestant } from './lab/live-contestant.js';
export type { Measurement, Outcome, RoundYield } from './lab/messages.js';
export { openResolver } from './lab/resolver/open.js';
export { benchMarkdown, environmentLines } from './report/bench-markdown.js';
export { findings } from './report/findings/bench.js';
export { busyCpus } from './report/findings/context.js';
export { formatDuration, formatEstimate, formatFigure, list } from './report/format.js';
export { loadMethodLines, loadRecommendationsMarkdown, loadTableMarkdown } from './report/load-markdown.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export { type Column, markdownTable, renderTable } from './report/table.js';
export { timelineReport } from './report/timeline.js';
export { type BenchResult, benchSchema, type RoundResult, type WorkloadResult } from './results/bench.js';
export { type Classification, type Classified, classificationSchema } from './results/classification.js';
export { type LoadCell, type LoadResult, loadSchema } from './results/load.js';
export { type Timeline, timelineSchema } from './results/timeline.js';
export type { Trace, TracedJob, TracedProcess } from './results/trace.js';
export type { TunedSize, TuneResult } from './results/tune.js';
export { type Estimate, estimateRatio } from './stats/estimate.js';
export {
  compareGenerations,
  comparePair,
  type Generation,
  type GenerationsResult,
  type PairComparison,
  type PairedBlocks,
} from './stats/generations.js';
export { kendall } from './stats/kendall.js';
export { FIRST_LOOK } from './stats/looks.js';
export { halfWidth } from './stats/mean-interval.js';
export { EQUAL_WITHIN, pairedRatio, type Verdict, verdictOfRatio } from './stats/paired-comparison.js';
export { median, quantile } from './stats/quantile.js';
export { createRandom, type Random } from './stats/random.js';
export { hodgesLehmann, type Interval, signedRankInterval } from './stats/signed-rank.js';
export { timeCommand } from './tune/commands.js';
export { judge } from './tune/judge.js';
export { LiveTarget } from './tune/live/target.js';
export { openTraffic } from './tune/traffic/open.js';
export type { Window } from './tune/window.js';
