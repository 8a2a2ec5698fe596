import type { Environment } from '../host/environment.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { because } from './bench.js';
import { benchColumns, benchRows } from './bench-table.js';
import { formatBytes, formatDuration } from './format.js';
import { markdownTable } from './table.js';

/** The result of a bench in Markdown: where it was measured, a table per workload, which size suits which, findings. */
export function benchMarkdown(result: BenchResult): string {
  const { method, environment, workloads, findings } = result;
  return [
    '## Where and how',
    '',
    ...environmentLines(environment),
    `- ${method.blocks} blocks, sizes ${method.sizes.join(', ')}, baseline ${method.baseline} measured twice in every block, seed ${method.seed}, ${formatDuration(method.seconds * 1000)} in all, ${method.startedAt.slice(0, 10)}`,
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

/** Where something was measured, as a Markdown list. */
export function environmentLines({ node, os, cpu, limits, filesystem }: Environment): string[] {
  return [
    `- Node ${node.version}, libuv ${node.libuv}, V8 ${node.v8}, OpenSSL ${node.openssl ?? 'unknown'}`,
    `- ${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown model'}${cpu.hypervisor ? ', virtual machine' : ''}), ${formatBytes(os.memoryTotalBytes)} of memory, ${os.platform} ${os.kernel} ${os.arch}`,
    `- CPU quota ${limits.cpuQuotaCores ?? 'none'}, filesystem ${filesystem.type ?? 'unknown'}, page cache warm`,
  ];
}

function workloadMarkdown(workload: WorkloadResult, baseline: number): string[] {
  const { noise } = workload;
  return [
    `## ${workload.name}`,
    '',
    `${workload.description}; ${workload.rounds === 1 ? 'one round' : `${workload.rounds ?? 0} rounds`} in each run, ${workload.blocks} blocks` +
      (noise === null
        ? '.'
        : `. A/A: ${((noise.aaRatio - 1) * 100).toFixed(1)} %, threshold ${(noise.threshold * 100).toFixed(1)} %.`),
    '',
    ...markdownTable(benchColumns(baseline, false), benchRows(workload, baseline, false)),
  ];
}
