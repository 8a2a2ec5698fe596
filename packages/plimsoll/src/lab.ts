/**
 * `plimsoll/lab`: what the commands themselves are built on, for benchmarks and studies of your own: alternating rounds of
 * live processes, their clean-up, statistics of paired runs, facts of the machine, tables.
 *
 * Unstable: it changes with any version, without notice. What is stable is `plimsoll`.
 */

export { type RunOptions, supervised } from './api/run-options.js';
export { checkValue, readValue } from './api/values.js';
export { analyseWorkload } from './bench/analyse.js';
export type { Measurement } from './bench/messages.js';
export type { ChosenWorkload } from './bench/options.js';
export { type CommandRun, runCommand } from './cli/command-run.js';
export { interruptSignal } from './cli/interrupt.js';
export { type JsonOutput, openJsonOutput } from './cli/json-output.js';
export { ProgressLine } from './cli/progress-line.js';
export { readOptions } from './cli/read-options.js';
export { type Arm, blockOrders } from './contest/block-order.js';
export {
  blocksOf,
  type Contestant,
  contest,
  type Outcome,
  type Round,
  type Stop,
  type Used,
} from './contest/contest.js';
export { fitGenerations, type GenerationsFit } from './contest/fit.js';
export { cannotWrite, type ErrorCode, exitCodeOf, PlimsollError, usage } from './errors.js';
export { captureEnvironment, type Environment } from './host/environment.js';
export { type GroupUsage, readGroupUsage } from './host/group-usage.js';
export {
  disturbancesOf,
  type MachineCounters,
  type MachineNoise,
  type MachineReading,
  machineNoise,
  readMachine,
  readMachineCounters,
} from './host/noise.js';
export {
  countPoolThreads,
  diffPoolThreads,
  listThreads,
  namesPoolThreads,
  type ThreadInfo,
} from './host/pool-threads.js';
export { printable } from './host/printable.js';
export { hasEnded, isSameProcess, startTime } from './host/processes.js';
export { startCommand } from './lab/command.js';
export { LiveProcess, reasonOf, type Start } from './lab/fresh-process.js';
export { Guardian, type Supervision, withGuardian } from './lab/guardian.js';
export { killGroup, lastWords, startGroup } from './lab/process.js';
export { type ChosenResolver, openResolver } from './lab/resolver/open.js';
export { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from './libuv/pool-size.js';
export { because, benchTable, howMeasured, howTurns, STOPPED } from './report/bench.js';
export { type Column, column, type Report, type Section, type Table, textOf } from './report/document.js';
export type { ReportDocument } from './report/documents.js';
export { busyCpus, findings } from './report/findings/bench.js';
export { factual, type Texts } from './report/findings/finding.js';
export {
  change,
  formatBytes,
  formatChange,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
  formatRate,
  list,
  percent,
} from './report/format.js';
export { reportPage } from './report/html/page.js';
export { environmentLines, machineLine } from './report/machine-line.js';
export { progressLine } from './report/progress.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export { markdownTable, renderTable, wrap } from './report/table.js';
export { timelineReport } from './report/timeline.js';
export {
  type BenchResult,
  benchSchema,
  noiseSchema,
  type RoundResult,
  verdictSchema,
  type WorkloadResult,
} from './results/bench.js';
export { type Classification, type Classified, classificationSchema } from './results/classification.js';
export { environmentSchema } from './results/environment.js';
export { statementSchema } from './results/finding.js';
export { type Timeline, timelineSchema } from './results/timeline.js';
export type { Trace, TracedJob } from './results/trace.js';
export type { TunedSize, TuneResult } from './results/tune.js';
export type { EventLoopDelay } from './stats/event-loop-delay.js';
export {
  type Block,
  compareGenerations,
  comparePair,
  type GenerationsResult,
  type PairComparison,
  type PairedBlocks,
  type SizeComparison,
} from './stats/generations.js';
export {
  EQUAL_WITHIN,
  halfWidth,
  LEVEL,
  logRatios,
  type RatioInterval,
  type Verdict,
} from './stats/intervals.js';
export { evenLooks, FIRST_LOOK } from './stats/looks.js';
export { ACCEPTED_LOSS } from './stats/posterior-odds.js';
export { hodgesLehmann, median, quantile, quantileOfSorted, walshAverages } from './stats/quantile.js';
export { createRandom, type Random } from './stats/random.js';
export { record } from './trace/record.js';
export { timeCommand } from './tune/commands.js';
export { judge } from './tune/judge.js';
export { LiveTarget } from './tune/live/target.js';
export type { Window } from './tune/sample.js';
export { openTraffic } from './tune/traffic/open.js';
export { looksLikePath } from './workloads/targets.js';
