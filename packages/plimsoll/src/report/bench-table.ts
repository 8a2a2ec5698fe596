import type { RoundResult, SizeResult, WorkloadResult } from '../results/bench.js';
import { median } from '../stats/quantile.js';
import { canJudge } from './findings/context.js';
import { change, formatBytes, formatChange, formatMs, formatRate } from './format.js';
import { intervalPlot } from './interval-plot.js';
import type { Column } from './table.js';

const PLOT_WIDTH = 25;

/** The columns of a workload's table; `plot` adds the intervals as a picture. */
export function benchColumns(baseline: number, plot: boolean): Column[] {
  const column = (title: string, align: Column['align'], expendable: number): Column => ({
    title,
    align,
    expendable,
  });
  return [
    column('size', 'right', 0),
    column('time', 'right', 0),
    column(`against ${baseline}`, 'left', 0),
    ...(plot ? [column('', 'left', 9)] : []),
    column('ops/s', 'right', 1),
    column('p50', 'right', 5),
    column('p99', 'right', 3),
    column('loop delay', 'right', 2),
    column('CPU', 'right', 4),
    column('memory', 'right', 6),
    column('verdict', 'left', 0),
  ];
}

/** One row a size, unpainted. */
export function benchRows(workload: WorkloadResult, baseline: number, plot: boolean): string[][] {
  const bounds = workload.sizes.flatMap(({ ratio, interval }) => [ratio, ...(interval ?? [])]);
  const picture = intervalPlot(bounds, PLOT_WIDTH);
  return workload.sizes.map((size) => {
    const of = (pick: (round: RoundResult) => number): number => median(size.rounds.map(pick));
    const isBaseline = size.size === baseline;
    return [
      String(size.size),
      formatMs(size.workMs),
      isBaseline ? 'baseline' : against(size),
      ...(plot
        ? [
            isBaseline
              ? picture.row(1, [1, 1])
              : picture.row(size.ratio, size.interval ?? [size.ratio, size.ratio]),
          ]
        : []),
      formatRate(of((run) => run.opsPerSecond)),
      formatMs(of((run) => run.latencyMs.p50)),
      formatMs(of((run) => run.latencyMs.p99)),
      formatMs(size.eventLoopDelayMs.p99),
      formatMs((of((run) => run.cpuSeconds) * 1000) / (workload.method?.repetitions ?? 1)),
      formatBytes(of((run) => run.maxRssBytes)),
      verdictOf(size, workload, isBaseline),
    ];
  });
}

const against = ({ ratio, interval }: SizeResult): string =>
  interval === null ? change(ratio) : formatChange(ratio, interval);

/** With too few generations for a verdict the word is `estimate`: `unclear` would sound as if more had been tried. */
function verdictOf({ verdict }: SizeResult, workload: WorkloadResult, isBaseline: boolean): string {
  if (isBaseline) return '';
  if (workload.noise?.noisy) return 'noisy';
  return verdict === 'unclear' && !canJudge(workload) ? 'estimate' : verdict;
}
