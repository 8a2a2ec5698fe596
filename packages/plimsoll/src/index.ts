export { bench } from './bench/bench.js';
export type { FindingContext } from './bench/findings/context.js';
export { findings } from './bench/findings/findings.js';
export type { BenchOptions, BenchProgress, ChosenWorkload } from './bench/options.js';
export { type ErrorCode, PlimsollError } from './errors.js';
export { Guardian } from './experiment/guardian.js';
export { benchReport } from './report/bench.js';
export { benchMarkdown } from './report/bench-markdown.js';
export { plainStyle, type Style, terminalStyle } from './report/style.js';
export {
  type BenchResult,
  benchSchema,
  type RunResult,
  type SizeResult,
  type Verdict,
  type WorkloadResult,
} from './results/bench.js';
export type { Finding } from './results/finding.js';
