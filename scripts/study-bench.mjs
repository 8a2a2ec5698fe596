// `npm run study:bench [-- --from FILE]`: the four workloads of the original suite, and the mixed one, at its sizes and
// at the number of CPUs; writes docs/results/bench.json and docs/results/bench.md. With --from it measures nothing: it
// analyses the runs of FILE again, by the rules of the code as it is, and writes both.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

/** Mean of the original suite on 12 cores, Linux, Node 22.19, in milliseconds by pool size. */
const ORIGINAL = {
  crypto: { 4: 1903.74, 8: 1493.63, 12: 1541.72 },
  zlib: { 4: 173.56, 8: 141.99, 12: 136.05 },
  dns: { 4: 409.35, 8: 174.21, 12: 156.59 },
  file: { 4: 215.15, 8: 236.69, 12: 241.96 },
};

setup();
const from = process.argv[2] === '--from' ? process.argv[3] : null;
const file = from ?? join(root, 'docs/results/bench.json');
if (from === null) measure();
const { benchMarkdown, benchSchema } = await import('../packages/plimsoll/dist/index.js');
const { analyseWorkload, findings } = await import('../packages/plimsoll/dist/lab.js');
const result = benchSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
const { environment, method } = result;
if (from !== null) analyseAgain(result);
result.findings = findings(result.workloads, {
  baseline: method.baseline,
  effectiveCpus: environment.cpu.effectiveCpus,
  filesystem: environment.filesystem,
  resolver: method.dns,
});
writeFileSync(join(root, 'docs/results/bench.json'), `${JSON.stringify(result, null, 2)}\n`);
const page = [
  '# What each pool size does to file, crypto, zlib and DNS work',
  '',
  'Measured by `npm run study:bench`; the raw result, every run of it, is [bench.json](bench.json).',
  ...(from === null
    ? []
    : [
        'The noise threshold was changed after these runs; `npm run study:bench -- --from docs/results/bench.json` analysed them again.',
      ]),
  '',
  beside(result),
  '',
  explanation(result),
  '',
  benchMarkdown(result),
].join('\n');
writeFileSync(join(root, 'docs/results/bench.md'), page);

function analyseAgain(result) {
  result.workloads = result.workloads.map((workload) => {
    const { name, description, parameters, rounds, operations, repeatedBlocks } = workload;
    const back = (arm) => (run) => ({
      ...{ block: run.block, order: run.order, arm, superseded: run.superseded },
      marks: run.disturbances.filter((mark) => mark !== 'not-steady'),
      result: { ...run, operations, rounds, steady: !run.disturbances.includes('not-steady') },
    });
    const runs = [
      ...workload.sizes.flatMap(({ size, runs }) => runs.map(back(size))),
      ...workload.twinRuns.map(back('twin')),
    ].sort((a, b) => a.block - b.block || b.superseded - a.superseded || a.order - b.order);
    return analyseWorkload({
      workload: { name, description, spec: { kind: 'built-in', name, parameters } },
      pilot: { rounds },
      outcome: { runs, repeatedBlocks, error: undefined },
      options: method,
    });
  });
  const noises = result.workloads.map(({ noise }) => noise);
  result.noise = noises.toSorted((a, b) => b.threshold - a.threshold)[0];
}

function measure() {
  const main = join(root, 'packages/plimsoll/dist/cli/main.js');
  const args = ['bench', '--sizes', 'cpus,4,8,12', '--seed', '2026', '--json', file];
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function beside({ workloads, environment }) {
  const rows = Object.entries(ORIGINAL).flatMap(([name, times]) => {
    const workload = workloads.find((candidate) => candidate.name === name);
    return Object.entries(times).map(([size, ms]) => {
      const here = workload?.sizes.find((candidate) => candidate.size === Number(size));
      if (here === undefined) return null;
      const original = `${ms.toFixed(0)} ms (${signed(ms / times[4])})`;
      const interval =
        here.size === 4 ? 'baseline' : `${signed(here.ratio)} [${here.interval.map(signed).join(', ')}]`;
      return `| ${name} | ${size} | ${original} | ${here.medianMs.toFixed(0)} ms | ${interval} | ${here.size === 4 ? '' : here.verdict} |`;
    });
  });
  return [
    '## Beside the original suite',
    '',
    `The original: 12 cores, Node 22.19, one figure per size. Here: ${environment.cpu.effectiveCpus} CPUs, Node ${environment.node.version}. Changes are against size 4.`,
    '',
    '| work | size | original | here | change here [interval] | verdict here |',
    '|---|---:|---:|---:|---|---|',
    ...rows.filter((row) => row !== null),
  ].join('\n');
}

function explanation({ workloads, environment }) {
  const of = (name, size) => {
    const workload = workloads.find((candidate) => candidate.name === name);
    return workload.sizes.find((candidate) => candidate.size === size);
  };
  const { effectiveCpus: cpus } = environment.cpu;
  const busy = (name) => {
    const { rounds } = workloads.find((candidate) => candidate.name === name);
    const shares = of(name, 4).runs.map((run) => (run.cpuSeconds * 1000) / (run.ms * rounds));
    return shares.toSorted((a, b) => a - b)[shares.length >> 1].toFixed(1);
  };
  const late = (name, size) => of(name, size).eventLoopDelayMs.p99.toFixed(1);
  return [
    '## Where it differs, and why',
    '',
    `- **crypto and zlib**: the original gained about a fifth from 4 to 8 threads, because it had cores that four threads left idle. Here four threads already keep ${busy('crypto')} (crypto) and ${busy('zlib')} (zlib) of ${cpus} CPUs busy, so more threads find no core. What they do find is the event loop's: at 2, 4, 8 and 12 threads of crypto a timer fires ${[2, 4, 8, 12].map((size) => late('crypto', size)).join(', ')} ms late (p99), which the original did not measure. Its advice to use 8 or more threads for crypto holds for its machine, not for crypto.`,
    `- **dns** agrees: lookups wait and use no CPU, so threads help on any machine. The original's step from 4 to 8 (−57 %) is larger than half, its network's answers vary; here every answer takes the same time and the step is ${signed(of('dns', 8).ratio)}, exactly the ratio of the two or four threads that libuv lets serve lookups at a time.`,
    `- **file** agrees in kind: larger pools do not help. The original's 10 to 12 % loss at 8 and 12 is ${signed(of('file', 8).ratio)} and ${signed(of('file', 12).ratio)} here, against a noise threshold of ${(workloads.find(({ name }) => name === 'file').noise.threshold * 100).toFixed(1)} %.`,
    '- **mixed**, which the original gave advice on without measuring it (use the CPU count), wants more threads than CPUs as soon as lookups are part of it: see below.',
  ].join('\n');
}

function signed(ratio) {
  const percent = Math.abs((ratio - 1) * 100).toFixed(1);
  return `${ratio < 1 ? '−' : '+'}${percent} %`;
}
