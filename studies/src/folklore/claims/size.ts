// Claims about how large the pool is, decided by counting its threads.

import { list } from '@plimsoll/lab';
import { type Claim, cellsOf, decided, isAll, nodesWith } from '../claim.js';

const WHAT = 'pool threads';
const SIZE = 'UV_THREADPOOL_SIZE';

const theDefault: Claim = {
  id: 'default',
  says: 'By default there is a thread for every core',
  sources: [
    { title: 'joyent/libuv#1578', url: 'https://github.com/joyent/libuv/issues/1578' },
    { title: 'nodejs/node#61533', url: 'https://github.com/nodejs/node/pull/61533' },
  ],
  how: 'Starts a program that uses the pool once, with nothing set, and counts its pool threads.',
  observe: (lab) => lab.count(WHAT, [['nothing set', lab.pool('use.cjs')]]),
  judge(counted, { environment }) {
    const { effectiveCpus } = environment.cpu;
    const isFour = isAll(counted, 'nothing set', 4);
    return {
      verdict:
        effectiveCpus === 4 ? 'undecided' : decided(isAll(counted, 'nothing set', effectiveCpus), isFour),
      because: isFour
        ? `Four threads, on a machine with ${effectiveCpus} CPUs.`
        : 'The number of threads is not the same everywhere.',
    };
  },
};

const inCode: Claim = {
  id: 'in-code',
  says: 'The size can be set in the first line of the program',
  sources: [
    {
      title: '“Your libuv thread pool size is too small”',
      url: 'https://www.sebastienvercammen.be/your-libuv-thread-pool-size-is-too-small/',
    },
    { title: 'nodejs/nan#286', url: 'https://github.com/nodejs/nan/issues/286' },
    {
      title: 'Node’s own page promises nothing (nodejs/node#55832)',
      url: 'https://github.com/nodejs/node/pull/55832',
    },
  ],
  how: `\`process.env.${SIZE} = '9'\` is the first statement of a CommonJS program, of an ES module, and of an ES module one of whose imports reads a file.`,
  observe: async (lab) =>
    lab.count(
      WHAT,
      [
        ['CommonJS', lab.pool('first-line-cjs.cjs')],
        ['ES module', lab.pool('first-line-esm.js')],
        ['ES module, an import reads a file', lab.pool('after-import-esm.js')],
      ],
      await lab.nodesAnd('22.17.1', '24.2.0'),
    ),
  judge(counted) {
    const late = counted.nodes.filter((_, index) => cellsOf(counted, 'ES module')[index] !== 9);
    const works = nodesWith(counted, 'ES module', 9);
    const inCommonJs = isAll(counted, 'CommonJS', 9);
    const afterImport = nodesWith(counted, 'ES module, an import reads a file', 9);
    return {
      verdict: inCommonJs && afterImport.length === 0 ? 'depends' : 'undecided',
      because: [
        inCommonJs ? 'In CommonJS it holds.' : 'In CommonJS it does not hold everywhere.',
        late.length === 0
          ? 'In an ES module it holds too.'
          : `In an ES module it is too late on Node ${list(late)}, whose loader reads modules by the pool${works.length > 0 ? `, and holds on ${list(works)}` : ''}.`,
        afterImport.length === 0
          ? 'Imports run before the first line: when one of them uses the pool, it is too late everywhere.'
          : `It holds after an import that uses the pool on ${list(afterImport)}.`,
      ].join(' '),
    };
  },
};

const later: Claim = {
  id: 'later',
  says: 'A running program can set the variable anew, and its pool follows',
  sources: [
    { title: 'Unitech/pm2#4621', url: 'https://github.com/Unitech/pm2/issues/4621' },
    { title: 'libuv/libuv#4401', url: 'https://github.com/libuv/libuv/issues/4401' },
  ],
  how: `Uses the pool once, then sets \`process.env.${SIZE} = '9'\` and submits twenty more jobs.`,
  observe: (lab) => lab.count(WHAT, [['set after the first use', lab.pool('after-use.cjs')]]),
  judge(counted) {
    const [stays, grows] = [4, 9].map((size) => isAll(counted, 'set after the first use', size));
    return {
      verdict: decided(grows === true, stays === true),
      because: stays
        ? 'The pool stays at 4: libuv reads the variable once, at the first use. `plimsoll resize` changes the pool itself.'
        : 'Not every version keeps its four threads.',
    };
  },
};

const ASKED = ['128', '200', '1024', '5000'] as const;

const maximum: Claim = {
  id: 'maximum',
  says: 'The most that one can set is 128',
  sources: [
    { title: 'joyent/libuv#1578', url: 'https://github.com/joyent/libuv/issues/1578' },
    { title: 'libuv/libuv#443', url: 'https://github.com/libuv/libuv/issues/443' },
  ],
  how: `Asks for ${ASKED.join(', ')} threads and counts.`,
  observe: (lab) =>
    lab.count(
      WHAT,
      ASKED.map((size) => [`${SIZE}=${size}`, lab.pool('use.cjs', { env: { [SIZE]: size } })]),
    ),
  judge(counted) {
    const is = (asked: string, got: number): boolean => isAll(counted, `${SIZE}=${asked}`, got);
    const isFalse = is('200', 200) && is('1024', 1024) && is('5000', 1024);
    return {
      verdict: decided(
        ASKED.every((asked) => is(asked, 128)),
        isFalse,
      ),
      because: isFalse
        ? 'It is 1024; what is larger counts as 1024. The limit was 128 before libuv 1.30.'
        : 'The counts fit neither limit.',
    };
  },
};

const VALUES = ['', 'abc', '0', '-1', '2.9', '0x10'] as const;

const invalid: Claim = {
  id: 'invalid',
  says: 'An empty or invalid value means the default',
  sources: [{ title: 'libuv/libuv#443', url: 'https://github.com/libuv/libuv/issues/443' }],
  how: 'Asks for sizes that are none, such as the empty value that a variable in a compose file leaves when it is not set.',
  observe: (lab) =>
    lab.count(
      WHAT,
      VALUES.map((value) => [`${SIZE}=${value}`, lab.pool('use.cjs', { env: { [SIZE]: value } })]),
    ),
  judge(counted) {
    const isDefault = VALUES.every((value) => isAll(counted, `${SIZE}=${value}`, 4));
    const ones = ['', 'abc', '0'].every((value) => isAll(counted, `${SIZE}=${value}`, 1));
    return {
      verdict: decided(isDefault, ones),
      because: ones
        ? 'What is empty, no number or 0 gives **one** thread. -1 gives 1024. Of `2.9` and `0x10` only the digits at the beginning count.'
        : 'The counts are not those of atoi(3).',
    };
  },
};

const envFile: Claim = {
  id: 'env-file',
  says: 'A .env file will do',
  sources: [
    {
      title: 'a guide to .env files',
      url: 'https://www.thenodebook.com/runtime-platform/env-files-configuration',
    },
  ],
  how: `A .env file says \`${SIZE}=9\`. It is given to \`node --env-file\`, and loaded by the first line of a program.`,
  observe: async (lab) => {
    const file = lab.file('.env', `${SIZE}=9\n`);
    return lab.count(
      WHAT,
      [
        ['node --env-file', lab.pool('use.cjs', { options: [`--env-file=${file}`] })],
        ['loaded by CommonJS', lab.pool('load-env-cjs.cjs', { args: [file] })],
        ['loaded by an ES module', lab.pool('load-env-esm.js', { args: [file] })],
      ],
      await lab.nodesAnd('22.17.1', '24.2.0'),
    );
  },
  judge(counted) {
    const byNode = isAll(counted, 'node --env-file', 9);
    const late = counted.nodes.filter((_, index) => cellsOf(counted, 'loaded by an ES module')[index] !== 9);
    const inCommonJs = isAll(counted, 'loaded by CommonJS', 9);
    return {
      verdict: byNode ? (late.length === 0 && inCommonJs ? 'true' : 'depends') : 'undecided',
      because: [
        byNode ? '`node --env-file` always holds.' : '`node --env-file` does not hold everywhere.',
        inCommonJs
          ? 'Loaded by the first line of a CommonJS program it holds too,'
          : 'Loaded by CommonJS it is too late,',
        late.length === 0
          ? 'and by that of an ES module.'
          : `but by that of an ES module it is too late on Node ${list(late)}.`,
      ].join(' '),
    };
  },
};

export const SIZE_CLAIMS: readonly Claim[] = [theDefault, inCode, later, maximum, invalid, envFile];
