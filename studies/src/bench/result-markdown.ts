import {
  type BenchResult,
  because,
  benchTable,
  environmentLines,
  formatChange,
  formatDuration,
  howMeasured,
  howTurns,
  markdownTable,
  textOf,
  type WorkloadResult,
} from '@plimsoll/lab';

/** The result of a bench in Markdown: where it was measured, a table per workload, which size suits which, findings. */
export function benchMarkdown(result: BenchResult): string {
  const { method, environment, workloads, findings } = result;
  return [
    '## Where and how',
    '',
    ...environmentLines(environment),
    `- ${howTurns(method.mode)}; sizes ${method.sizes.join(', ')}, baseline ${method.baseline} twice in every block, ${method.timeMs === null ? '' : `at most ${formatDuration(method.timeMs)} a workload, `}seed ${method.seed}, ${formatDuration(method.seconds * 1000)} in all, ${method.startedAt.slice(0, 10)}`,
    ...(method.dns === null ? [] : [`- lookups: ${method.dns.description} (${method.dns.because})`]),
    ...workloads.flatMap((workload) => ['', ...workloadMarkdown(workload, method.baseline)]),
    '',
    '## Which size suits which work',
    '',
    ...markdownTable(
      [
        { title: 'work', align: 'left', expendable: 0 },
        { title: 'size', align: 'right', expendable: 0 },
        { title: 'because', align: 'left', expendable: 0 },
      ],
      workloads.map((workload) => [
        workload.name,
        String(workload.recommended ?? '?'),
        because(workload, method.baseline),
      ]),
    ),
    '',
    '## What this shows',
    '',
    ...findings.map(
      ({ id, text }) => `- ${text} ([${id}](../reference/findings.md#${id.replaceAll('.', '')}))`,
    ),
    '',
  ].join('\n');
}

function workloadMarkdown(workload: WorkloadResult, baseline: number): string[] {
  const { noise } = workload;
  const { columns, rows } = benchTable(workload, baseline);
  return [
    `## ${workload.name}`,
    '',
    `${workload.description}. ${howMeasured(workload)}` +
      (noise === null || noise.aaInterval === null
        ? '.'
        : `. A/A: ${formatChange(noise.aaRatio, noise.aaInterval)}.`),
    '',
    ...markdownTable(
      columns,
      rows.map((cells) => cells.map(textOf)),
    ),
  ];
}
