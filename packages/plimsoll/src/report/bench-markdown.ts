import type { Environment } from '../host/environment.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { because, howMeasured, howTurns } from './bench.js';
import { benchColumns, benchRows } from './bench-table.js';
import { formatBytes, formatChange, formatDuration } from './format.js';
import { markdownTable } from './table.js';

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

/** Where something was measured, as a Markdown list; with the versions of packages, if there are any to name. */
export function environmentLines(
  { node, os, cpu, limits, filesystem }: Environment,
  versions: Readonly<Record<string, string>> = {},
): string[] {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `- Node ${node.version}, libuv ${node.libuv}, V8 ${node.v8}, OpenSSL ${node.openssl ?? 'unknown'}`,
    `- ${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown model'}${cpu.hypervisor ? ', virtual machine' : ''}), ${formatBytes(os.memoryTotalBytes)} of memory, ${os.platform} ${os.kernel} ${os.arch}`,
    `- CPU quota ${limits.cpuQuotaCores ?? 'none'}, filesystem ${filesystem.type ?? 'unknown'}, page cache warm`,
    ...(named.length === 0 ? [] : [`- ${named.join(', ')}`]),
  ];
}

function workloadMarkdown(workload: WorkloadResult, baseline: number): string[] {
  const { noise } = workload;
  return [
    `## ${workload.name}`,
    '',
    `${workload.description}. ${howMeasured(workload)}` +
      (noise === null || noise.aaInterval === null
        ? '.'
        : `. A/A: ${formatChange(noise.aaRatio, noise.aaInterval)}.`),
    '',
    ...markdownTable(benchColumns(baseline, false), benchRows(workload, baseline, false)),
  ];
}
