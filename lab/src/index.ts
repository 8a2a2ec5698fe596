/**
 * What benchmarks, studies and set-ups share with the command line: contests, processes and their clean-up, statistics, facts of
 * the machine, tables. It is taken from the build of `plimsoll` by its path, so that none of it is a promise to users.
 */

export { type RunOptions, supervised } from '../../packages/plimsoll/dist/api/run-options.js';
export { checkValue, readValue } from '../../packages/plimsoll/dist/api/values.js';
export { analyseWorkload } from '../../packages/plimsoll/dist/bench/analyse.js';
export type { Measurement } from '../../packages/plimsoll/dist/bench/messages.js';
export type { ChosenWorkload } from '../../packages/plimsoll/dist/bench/options.js';
export {
  type CommandRun,
  interruptSignal,
  runCommand,
} from '../../packages/plimsoll/dist/cli/command-run.js';
export { type JsonOutput, openJsonOutput } from '../../packages/plimsoll/dist/cli/json-output.js';
export { ProgressLine } from '../../packages/plimsoll/dist/cli/progress-line.js';
export type { Arm } from '../../packages/plimsoll/dist/contest/block-order.js';
export {
  blocksOf,
  type Contestant,
  contest,
  type Outcome,
  type Round,
  type Stop,
  type Used,
} from '../../packages/plimsoll/dist/contest/contest.js';
export { fitGenerations, type GenerationsFit } from '../../packages/plimsoll/dist/contest/fit.js';
export {
  cannotWrite,
  type ErrorCode,
  exitCodeOf,
  PlimsollError,
  usage,
} from '../../packages/plimsoll/dist/errors.js';
export { captureEnvironment, type Environment } from '../../packages/plimsoll/dist/host/environment.js';
export {
  countPoolThreads,
  diffPoolThreads,
  listThreads,
  namesPoolThreads,
  type ThreadInfo,
} from '../../packages/plimsoll/dist/host/pool-threads.js';
export { printable } from '../../packages/plimsoll/dist/host/printable.js';
export { hasEnded, isSameProcess, startTime } from '../../packages/plimsoll/dist/host/processes.js';
export { listNumbers, parseWhole, readText, statFields } from '../../packages/plimsoll/dist/host/read.js';
export { startCommand } from '../../packages/plimsoll/dist/lab/command.js';
export { LiveProcess, type Start } from '../../packages/plimsoll/dist/lab/fresh-process.js';
export { Guardian, type Supervision, withGuardian } from '../../packages/plimsoll/dist/lab/guardian.js';
export { killGroup, lastWords, startGroup } from '../../packages/plimsoll/dist/lab/process.js';
export { openLocalResolver, type Resolver } from '../../packages/plimsoll/dist/lab/resolver/resolver.js';
export { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../../packages/plimsoll/dist/libuv/pool-size.js';
export {
  because,
  benchTable,
  howMeasured,
  howTurns,
} from '../../packages/plimsoll/dist/report/bench.js';
export {
  type Column,
  column,
  type Report,
  type Section,
  type Table,
  textOf,
} from '../../packages/plimsoll/dist/report/document.js';
export { reportText } from '../../packages/plimsoll/dist/report/documents.js';
export { busyCpus, findings } from '../../packages/plimsoll/dist/report/findings/bench.js';
export { factual, type Texts } from '../../packages/plimsoll/dist/report/findings/finding.js';
export { speedscope } from '../../packages/plimsoll/dist/report/flame.js';
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
} from '../../packages/plimsoll/dist/report/format.js';
export { type Foreign, reportPage } from '../../packages/plimsoll/dist/report/html/page.js';
export { machineLine } from '../../packages/plimsoll/dist/report/machine-line.js';
export { progressLine } from '../../packages/plimsoll/dist/report/progress.js';
export { STOPPED } from '../../packages/plimsoll/dist/report/sizes.js';
export { plainStyle, type Style, terminalStyle } from '../../packages/plimsoll/dist/report/style.js';
export { markdownTable, renderTable, wrap } from '../../packages/plimsoll/dist/report/table.js';
export type {
  BenchResult,
  RoundResult,
  WorkloadResult,
} from '../../packages/plimsoll/dist/results/bench.js';
export type { Classification, Classified } from '../../packages/plimsoll/dist/results/classification.js';
export type { Timeline } from '../../packages/plimsoll/dist/results/timeline.js';
export type { Trace, TracedJob } from '../../packages/plimsoll/dist/results/trace.js';
export type { TunedSize, TuneResult } from '../../packages/plimsoll/dist/results/tune.js';
export type { EventLoopDelay } from '../../packages/plimsoll/dist/stats/event-loop-delay.js';
export {
  type Block,
  compareGenerations,
  comparePair,
  type GenerationsResult,
  type PairComparison,
  type PairedBlocks,
  type SizeComparison,
} from '../../packages/plimsoll/dist/stats/generations.js';
export {
  EQUAL_WITHIN,
  halfWidth,
  LEVEL,
  logRatios,
  type RatioInterval,
  type Verdict,
} from '../../packages/plimsoll/dist/stats/intervals.js';
export { evenLooks, FIRST_LOOK } from '../../packages/plimsoll/dist/stats/looks.js';
export { ACCEPTED_LOSS } from '../../packages/plimsoll/dist/stats/posterior-odds.js';
export {
  median,
  quantile,
  quantileOfSorted,
} from '../../packages/plimsoll/dist/stats/quantile.js';
export { createRandom, type Random } from '../../packages/plimsoll/dist/stats/random.js';
export { record } from '../../packages/plimsoll/dist/trace/record.js';
export { judge } from '../../packages/plimsoll/dist/tune/judge.js';
export { LiveTarget } from '../../packages/plimsoll/dist/tune/live/target.js';
export { timeCommand } from '../../packages/plimsoll/dist/tune/runs.js';
export type { Window } from '../../packages/plimsoll/dist/tune/sample.js';
export { openTraffic } from '../../packages/plimsoll/dist/tune/traffic/open.js';
export { looksLikePath } from '../../packages/plimsoll/dist/workloads/target.js';
export { blockOrders } from './block-orders.js';
export { environmentLines } from './environment-lines.js';
export {
  disturbancesOf,
  type MachineCounters,
  type MachineNoise,
  type MachineReading,
  machineNoise,
  readMachine,
  readMachineCounters,
  throttledPeriods,
} from './noise.js';
export { readOptions } from './read-options.js';
export { reasonOf } from './reason-of.js';
