// Claims about how fast, decided by measuring.
import { formatFigure } from '@plimsoll/benchmarks/format';
import { type BenchResult, list, type WorkloadResult } from '@plimsoll/lab';
import { judge } from '../../common/compare.js';
import { conditionOf } from '../../common/result.js';
import { conditionTable, left, right, type Table } from '../../common/tables.js';
import { type Claim, cellsOf, type Judgement } from '../claim.js';
import type { Observe } from '../lab.js';
import { BENCH_COMMAND, LARGE } from '../measured.js';
import type { FolkloreResult } from '../result.js';

type Size = WorkloadResult['sizes'][number];

const UNDECIDED: Judgement = { verdict: 'undecided', because: 'There were too few rounds to tell.' };

const workload = ({ bench }: FolkloreResult, name: string): WorkloadResult | undefined =>
  bench?.workloads.find((one) => one.name === name);

const larger = (bench: BenchResult, { sizes }: WorkloadResult): Size[] =>
  sizes.filter(({ size }) => size > bench.method.baseline);

const percent = (ratio: number): string => `${formatFigure(Math.abs(ratio - 1) * 100, 0)} %`;

const faster = ({ size, ratio }: Size): string => `${percent(ratio)} less time with ${size}`;

/** Every workload and size. */
function sizesTable({ bench }: FolkloreResult): Table {
  const rows = (bench?.workloads ?? []).flatMap(({ name, sizes }) =>
    sizes.map(({ size, ratio, interval, verdict, eventLoopDelayMs }) => {
      const isBaseline = size === bench?.method.baseline;
      const range = interval?.map((bound) => formatFigure(bound, 2)).join(', ') ?? 'unknown';
      return [
        name,
        String(size),
        isBaseline ? 'baseline' : `${formatFigure(ratio, 2)} [${range}]`,
        isBaseline ? '' : verdict,
        `${formatFigure(eventLoopDelayMs.p99, 1)} ms`,
      ];
    }),
  );
  return {
    columns: [
      left('work'),
      right('threads'),
      left('time ÷ that of one thread per CPU [interval]'),
      left('verdict'),
      right('event-loop delay (p99)'),
    ],
    rows,
  };
}

const cores: Claim = {
  id: 'cores',
  says: 'Set it to the number of cores',
  sources: [
    { title: 'nodejs/node#61533', url: 'https://github.com/nodejs/node/pull/61533' },
    { title: 'mei23/misskey-v11#2166', url: 'https://github.com/mei23/misskey-v11/pull/2166' },
  ],
  how: 'Compares sizes with one thread per CPU, for pbkdf2, gzip and lookups. Sizes take turns.',
  commands: [BENCH_COMMAND],
  needs: 'bench',
  table: sizesTable,
  judge(_counted, result) {
    const [crypto, dns] = [workload(result, 'crypto'), workload(result, 'dns')];
    if (result.bench === null || crypto === undefined || dns === undefined) return UNDECIDED;
    const computing = larger(result.bench, crypto).filter(({ verdict }) => verdict === 'better');
    const waiting = larger(result.bench, dns).filter(({ verdict }) => verdict === 'better');
    const best = waiting.toSorted((a, b) => a.ratio - b.ratio)[0];
    if (best === undefined)
      return { ...UNDECIDED, because: 'Lookups were not shown to be faster with more threads.' };
    return {
      verdict: computing.length === 0 ? 'depends' : 'false',
      because: `${computing.length === 0 ? 'For work that computes no larger size was shown to be faster.' : `Even for work that computes: ${list(computing.map(faster))}.`} For work that waits it is far too few: lookups take ${faster(best)}.`,
    };
  },
};

const free: Claim = {
  id: 'free-threads',
  says: 'Set it to 128: threads are free',
  sources: [
    { title: 'product-os/jellyfish#4537', url: 'https://github.com/product-os/jellyfish/pull/4537' },
    { title: 'libuv/libuv#145', url: 'https://github.com/libuv/libuv/issues/145' },
  ],
  how: 'The same measurement, for what it does to the event loop while pbkdf2 runs; and by how much the memory of a process grows when its pool is made.',
  commands: [BENCH_COMMAND],
  needs: 'bench',
  observe: (lab) =>
    lab.count(
      'KB of memory (RssAnon) for the pool',
      ['4', '128', '1024'].map((size) => [
        `${size} threads`,
        async (node) =>
          (await lab.run(node, 'memory.cjs', { env: { UV_THREADPOOL_SIZE: size } })).said as number,
      ]),
    ),
  judge(counted, result) {
    const crypto = workload(result, 'crypto');
    const base = crypto?.sizes.find(({ size }) => size === result.bench?.method.baseline);
    const large = crypto?.sizes.find(({ size }) => size === LARGE);
    if (base === undefined || large === undefined) return UNDECIDED;
    const [from, to] = [base.eventLoopDelayMs.p99, large.eventLoopDelayMs.p99];
    const most = Math.max(...cellsOf(counted, '128 threads').map(Number));
    return {
      verdict: to > 2 * from && to - from > 5 ? 'false' : 'undecided',
      because: `Their memory is next to nothing, ${formatFigure(most / 1024, 1)} MB at the most while they are idle. But while ${large.size} of them compute, a timer of the same process is ${formatFigure(to, 1)} ms late (p99), and ${formatFigure(from, 1)} ms with ${base.size}.`,
    };
  },
};

const more: Claim = {
  id: 'more-is-faster',
  says: 'More threads make everything faster',
  sources: [
    {
      title: '“Your libuv thread pool size is too small”',
      url: 'https://www.sebastienvercammen.be/your-libuv-thread-pool-size-is-too-small/',
    },
    { title: 'nodejs/help#4290', url: 'https://github.com/nodejs/help/issues/4290' },
  ],
  how: 'The same measurement: which sizes are faster than one thread per CPU, and for what?',
  commands: [BENCH_COMMAND],
  needs: 'bench',
  judge(_counted, result) {
    const { bench } = result;
    if (bench === null) return UNDECIDED;
    const of = (verdict: string): string[] =>
      bench.workloads.flatMap((one) => {
        const sizes = larger(bench, one).filter((size) => size.verdict === verdict);
        return sizes.length === 0 ? [] : [`${one.name} with ${list(sizes.map(({ size }) => size))}`];
      });
    const [gained, lost, same] = [of('better'), of('worse'), of('same')];
    const counts = [...lost, ...same];
    if (counts.length === 0) return UNDECIDED;
    return {
      verdict: 'false',
      because: [
        gained.length > 0 ? `Faster: ${list(gained)}.` : '',
        same.length > 0 ? `As fast, within 3 %: ${list(same)}.` : '',
        lost.length > 0 ? `Slower: ${list(lost)}.` : '',
      ]
        .filter((text) => text !== '')
        .join(' '),
    };
  },
};

const promises: Claim = {
  id: 'fs-promises',
  says: 'fs.promises is slow because of the pool',
  sources: [
    { title: 'nodejs/node#37583', url: 'https://github.com/nodejs/node/issues/37583' },
    { title: 'nodejs/performance#151', url: 'https://github.com/nodejs/performance/issues/151' },
  ],
  how: 'Counts the jobs of the pool that reading a file of 4 KB takes, and measures both ways in turn, 200 files at a time.',
  needs: 'reads',
  table: ({ reads }) => {
    const condition = reads?.conditions[0];
    return condition === undefined ? { columns: [], rows: [] } : conditionTable(condition);
  },
  observe: async (lab) => {
    const file = lab.file('read-me', 'x'.repeat(4096));
    const jobs =
      (how: string): Observe =>
      ({ path }) =>
        lab.jobsPerRead(path, how, file);
    return lab.count('pool jobs per read', [
      ['fs.readFile', jobs('callback')],
      ['fs.promises.readFile', jobs('promises')],
    ]);
  },
  judge(counted, { reads, environment }) {
    const condition = reads === null ? undefined : conditionOf(reads, 'reads');
    const found = judge(condition, 'promises', 'callback', 'us');
    const [byCallback, byPromise] = ['fs.readFile', 'fs.promises.readFile'].map((name) =>
      cellsOf(counted, name),
    );
    const isSame = byCallback?.every((cell, index) => cell === byPromise?.[index]) ?? false;
    if (found === undefined || found.verdict === 'unclear')
      return { ...UNDECIDED, because: `${isSame ? 'Both take the same jobs. ' : ''}${UNDECIDED.because}` };
    const isSlower = found.verdict === 'worse';
    const node = environment.node.version;
    const time = isSlower
      ? `On Node ${node} it takes ${formatFigure(found.ratio, 2)} times as long`
      : `On Node ${node} it is not slower`;
    const jobs = isSame
      ? `but as many jobs of the pool: ${[...new Set(byCallback)].join(' or ')} for a read, by version. So the difference is not the pool’s.`
      : 'and another number of jobs.';
    return {
      verdict: isSame || !isSlower ? 'false' : 'depends',
      because: `${time}, ${jobs}`,
    };
  },
};

export const COST_CLAIMS: readonly Claim[] = [cores, free, more, promises];
