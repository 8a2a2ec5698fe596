// Claims about who waits for whom, decided by counting what completes.
import { list } from '@plimsoll/lab';
import { type Claim, cellsOf, decided, isAll, nodesWith } from '../claim.js';
import type { Lab, RunOptions } from '../lab.js';
import type { Cell, Counted } from '../result.js';

const workers: Claim = {
  id: 'workers',
  says: 'Every worker thread has a pool of its own',
  sources: [
    {
      title: 'a lesson on both pools',
      url: 'https://awesome-everything.pages.dev/en/learn/backend/03-async-blocking/04-offloading-cpu-work/',
    },
  ],
  how: "Three worker threads use the pool, each with `UV_THREADPOOL_SIZE: '16'` in the `env` that it is given.",
  observe: (lab) => lab.count('pool threads', [['three worker threads', lab.pool('workers.cjs')]]),
  judge(counted) {
    const isFalse = isAll(counted, 'three worker threads', 4);
    return {
      verdict: decided(isAll(counted, 'three worker threads', 48), isFalse),
      because: isFalse
        ? 'The process has one pool of four threads for all of them, and the `env` of a worker changes nothing about it.'
        : 'The number of threads is not the same everywhere.',
    };
  },
};

const cluster: Claim = {
  id: 'cluster',
  says: 'The processes of a cluster share one pool',
  sources: [{ title: 'nodejs/node#22468', url: 'https://github.com/nodejs/node/issues/22468' }],
  how: 'A primary and two cluster workers use the pool. The cells are the pool threads of each process.',
  observe: (lab) =>
    lab.count('pool threads', [
      ['primary and two workers', async (node) => (await lab.run(node, 'cluster.cjs')).pools.join(' + ')],
    ]),
  judge(counted) {
    const isFalse = isAll(counted, 'primary and two workers', '4 + 4 + 4');
    return {
      verdict: decided(false, isFalse),
      because: isFalse
        ? 'Each process has its own: the threads of a machine are size × processes.'
        : 'The number of threads is not the same everywhere.',
    };
  },
};

interface Seen {
  readonly meanwhile: readonly string[];
  readonly later: readonly string[];
}

const POOLED = ['fs.stat of a good disk', 'crypto.pbkdf2', 'zlib.gzip', 'dns.lookup'];
const OTHERS = ['a timer', 'a socket', 'an HTTP request'];

/** What completes while four calls hang, at two sizes. */
async function whileFourHang(lab: Lab): Promise<Counted> {
  const nodes = lab.nodes;
  const at = async (size: string): Promise<Seen[]> => {
    const seen: Seen[] = [];
    for (const node of nodes) {
      const options: RunOptions = { args: lab.fifos(4), env: { UV_THREADPOOL_SIZE: size } };
      seen.push((await lab.run(node, 'blocked.cjs', options)).said as Seen);
    }
    return seen;
  };
  const cell = (name: string, { meanwhile, later }: Seen): Cell =>
    meanwhile.includes(name) ? 'completes' : later.includes(name) ? 'waits' : null;
  const [four, five] = [await at('4'), await at('5')];
  const rows = [
    ...[...POOLED, ...OTHERS].map((name) => ({ case: name, cells: four.map((seen) => cell(name, seen)) })),
    ...POOLED.map((name) => ({
      case: `${name}, 5 threads`,
      cells: five.map((seen) => cell(name, seen)),
    })),
  ];
  return { what: 'what happens meanwhile', nodes: nodes.map(({ version }) => version), rows };
}

const slowDisk: Claim = {
  id: 'slow-disk',
  says: 'One slow disk or network file system fills the pool, and everything waits',
  sources: [
    { title: 'joyent/libuv#1275', url: 'https://github.com/joyent/libuv/issues/1275' },
    { title: 'libuv/libuv#660', url: 'https://github.com/libuv/libuv/issues/660' },
  ],
  how: 'Four calls of `fs.open` do not return, as on a mount that hangs (they open FIFOs). Meanwhile other things are asked for, with four threads and with five.',
  observe: whileFourHang,
  judge(counted) {
    const all = (names: readonly string[], value: string): boolean =>
      names.every((name) => isAll(counted, name, value));
    const poolWaits = all(POOLED, 'waits');
    const othersGoOn = all(OTHERS, 'completes');
    const fifthHelps = all(
      POOLED.map((name) => `${name}, 5 threads`),
      'completes',
    );
    return {
      verdict: decided(poolWaits, all(POOLED, 'completes')),
      because: poolWaits
        ? `Everything that needs the pool waits: files on good disks, crypto, zlib, lookups.${othersGoOn ? ' Timers, sockets and HTTP by IP go on.' : ''}${fifthHelps ? ' A fifth thread serves them all, until a fifth call hangs: a larger pool puts it off.' : ''}`
        : 'Not everything waits.',
    };
  },
};

const zlibStream: Claim = {
  id: 'zlib-stream',
  says: 'A zlib stream holds a thread for as long as it is open',
  sources: [
    { title: 'nodejs/node#15301', url: 'https://github.com/nodejs/node/issues/15301' },
    { title: 'nodejs/help#4290', url: 'https://github.com/nodejs/help/issues/4290' },
  ],
  how: 'Ten gzip streams have compressed a chunk and stay open; then `fs.stat` is called. The pool has one thread.',
  observe: (lab) =>
    lab.count('what fs.stat does', [
      [
        'ten open gzip streams, 1 thread',
        async (node) => {
          const { said } = await lab.run(node, 'open-gzips.cjs', { env: { UV_THREADPOOL_SIZE: '1' } });
          return (said as { stat: string }).stat;
        },
      ],
    ]),
  judge(counted) {
    const [goesOn, waits] = ['completes', 'waits'].map((value) =>
      isAll(counted, 'ten open gzip streams, 1 thread', value),
    );
    return {
      verdict: decided(waits === true, goesOn === true),
      because: goesOn
        ? 'Each chunk is a job of its own. Between chunks a stream holds memory, but no thread.'
        : 'The streams hold it.',
    };
  },
};

const UNSET = 'files, nothing set';
const ON = 'files, UV_USE_IO_URING=1';

const ioUring: Claim = {
  id: 'io-uring',
  says: 'Since io_uring, files no longer need the pool',
  sources: [
    { title: 'libuv/libuv#3952', url: 'https://github.com/libuv/libuv/pull/3952' },
    { title: 'libuv/libuv#2322', url: 'https://github.com/libuv/libuv/pull/2322' },
  ],
  how: 'Reads a file a hundred times, with and without `UV_USE_IO_URING=1`, and counts pool threads: none are made when all of it goes to io_uring.',
  observe: async (lab) => {
    const args = ['callback', lab.file('read-me', 'x'.repeat(4096))];
    return lab.count(
      'pool threads',
      [
        [UNSET, lab.pool('read-files.cjs', { args })],
        [ON, lab.pool('read-files.cjs', { args, env: { UV_USE_IO_URING: '1' } })],
      ],
      await lab.nodesAnd('20.11.0'),
    );
  },
  judge(counted) {
    const byDefault = nodesWith(counted, UNSET, 0);
    const optional = nodesWith(counted, ON, 0).filter((node) => !byDefault.includes(node));
    const never = counted.nodes.filter((_, index) => Number(cellsOf(counted, ON)[index]) > 0);
    const newest = counted.nodes.length - 1;
    return {
      verdict: decided(cellsOf(counted, UNSET)[newest] === 0, Number(cellsOf(counted, UNSET)[newest]) > 0),
      because: [
        byDefault.length > 0
          ? `It held on Node ${list(byDefault)}, and was turned off again for security (CVE-2024-22017).`
          : '',
        optional.length > 0 ? `On ${list(optional)} it takes \`UV_USE_IO_URING=1\`.` : '',
        never.length > 0 ? `On ${list(never)} files use the pool even with that.` : '',
      ]
        .filter((text) => text !== '')
        .join(' '),
    };
  },
};

export const WAIT_CLAIMS: readonly Claim[] = [workers, cluster, slowDisk, zlibStream, ioUring];
