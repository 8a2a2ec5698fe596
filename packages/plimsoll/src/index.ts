export { type AdviseOptions, advise } from './advise/advise.js';
export { type VerifyingRun, verification } from './advise/verify.js';
export { NO_CHANGE, type WhatIf } from './advise/what-if.js';
export { bench } from './bench/bench.js';
export type { FindingContext } from './bench/findings/context.js';
export { findings } from './bench/findings/findings.js';
export type { BenchOptions, BenchProgress, ChosenWorkload } from './bench/options.js';
export { catalogue, entriesNamed } from './classify/catalogue/catalogue.js';
export type { Entry } from './classify/catalogue/entry.js';
export { type ClassifyOptions, type ClassifyProgress, classify } from './classify/classify.js';
export { interruptSignal } from './cli/interrupt.js';
export { type JsonOutput, openJsonOutput } from './cli/json-output.js';
export { ProgressLine } from './cli/progress-line.js';
export { parseCount } from './cli/values.js';
export { type ErrorCode, PlimsollError } from './errors.js';
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
export { load } from './load/load.js';
export type { LoadCase, LoadOptions, LoadProgress, LoadTarget } from './load/options.js';
export type { Mode } from './load/target/sample.js';
export { adviceReport } from './report/advise.js';
export { benchReport } from './report/bench.js';
export { benchMarkdown, environmentLines } from './report/bench-markdown.js';
export { classificationReport } from './report/classification.js';
export { formatDuration } from './report/format.js';
export { loadReport } from './report/load.js';
export {
  loadMarkdown,
  loadMethodLines,
  loadRecommendationsMarkdown,
  loadTableMarkdown,
} from './report/load-markdown.js';
export { perfettoTrace } from './report/perfetto.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export { type Column, markdownTable, renderTable } from './report/table.js';
export { timelineReport } from './report/timeline.js';
export { traceReport } from './report/trace.js';
export {
  type Advice,
  adviceSchema,
  type Objective,
  type Prediction,
  type Verification,
} from './results/advice.js';
export {
  type BenchResult,
  benchSchema,
  type RunResult,
  type SizeResult,
  type Verdict,
  type WorkloadResult,
} from './results/bench.js';
export {
  type Classification,
  type Classified,
  classificationSchema,
  type PoolVerdict,
} from './results/classification.js';
export { environmentSchema } from './results/environment.js';
export type { Finding } from './results/finding.js';
export { type LoadCell, type LoadRecommendation, type LoadResult, loadSchema } from './results/load.js';
export { type Span, type Timeline, type TimelineExperiment, timelineSchema } from './results/timeline.js';
export type {
  ThreadUsage,
  Trace,
  TracedJob,
  TracedProcess,
  TraceNote,
  UsageInterval,
} from './results/trace.js';
export { type TracedProgram, type TraceSummary, traceSummarySchema } from './results/trace-summary.js';
export { list } from './results/words.js';
export { type EventLoopDelay, eventLoopDelay } from './stats/event-loop-delay.js';
export { assessNoise, type Noise, pairedRatio } from './stats/paired-comparison.js';
export { median, quantile } from './stats/quantile.js';
export { createRandom, type Random } from './stats/random.js';
export { hodgesLehmann, type Interval, signedRankInterval } from './stats/signed-rank.js';
export type { TimelineSubject } from './timeline/messages.js';
export { timelineOperations } from './timeline/operations.js';
export { type TimelineOptions, timeline } from './timeline/timeline.js';
export { type RecordedTrace, type RecordOptions, record } from './trace/record.js';
export { summarise } from './trace/summary.js';
export { readTrace, writeTrace } from './trace/trace-file.js';
export type { Target } from './workloads/target.js';
