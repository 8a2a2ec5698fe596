/** Every command as a function, its reports, and the schemas of its results. No function leaves a process or a directory. */

export { type BenchOptions, bench, type CompareModulesOptions, compareModules } from './api/bench.js';
export { type ClassifyOptions, classify, type TimelineOptions, timeline } from './api/classify.js';
export { type DoctorOptions, doctor } from './api/doctor.js';
export { type ResizeOptions, resize, type TopOptions, top } from './api/processes.js';
export { type ReportOptions, report } from './api/report.js';
export type { RunOptions } from './api/run-options.js';
export { type Traced, type TraceOptions, trace } from './api/trace.js';
export { type TuneOptions, tune } from './api/tune.js';
export type { ModulesProgress } from './bench/modules.js';
export type { BenchProgress } from './bench/options.js';
export type { ClassifyProgress } from './classify/classify.js';
export type { DrawProgress } from './classify/draw.js';
export { type ErrorCode, PlimsollError } from './errors.js';
export type { Environment } from './host/environment.js';
export { type Result, reportMarkdown, reportText } from './report/documents.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export {
  type BenchResult,
  benchSchema,
  type RoundResult,
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
export { type Comparison, type ComparisonRow, comparisonSchema } from './results/comparison.js';
export { type DiagnosedProcess, type Diagnosis, diagnosisSchema } from './results/diagnosis.js';
export { environmentSchema } from './results/environment.js';
export type { Finding } from './results/finding.js';
export { type PoolActivity, poolActivitySchema } from './results/pool-activity.js';
export { type Resize, resizeSchema } from './results/resize.js';
export { type Span, type Timeline, type TimelineExperiment, timelineSchema } from './results/timeline.js';
export type {
  Caller,
  Frame,
  ThreadUsage,
  Trace,
  TracedJob,
  TracedProcess,
  TraceNote,
  UsageInterval,
} from './results/trace.js';
export { type TracedProgram, type TraceSummary, traceSummarySchema } from './results/trace-summary.js';
export { type TunedSize, type TuneResult, tuneSchema } from './results/tune.js';
export type { RecordProgress } from './trace/record.js';
export type { TuneProgress } from './tune/request.js';
