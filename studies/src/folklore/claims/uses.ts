// Claims about what runs in the pool, decided by blocking it.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list } from '@plimsoll/lab';
import { scratch } from '../../common/paths.js';
import { type Claim, cellsOf, decided, isAll, NotHere } from '../claim.js';
import { PACKAGES, packages } from '../packages.js';
import type { Counted } from '../result.js';

const HOW =
  'Blocks every pool thread of a fresh process, makes the call, and sees whether it completes meanwhile.';

const are = (counted: Counted, names: readonly string[], ...values: string[]): boolean =>
  names.every((name) =>
    cellsOf(counted, name).every((cell) => cell === null || values.includes(String(cell))),
  );

const BY_IP = ['net.connect.ip', 'tls.connect.ip', 'http.get.ip', 'fetch.ip', 'dgram.send.ip'];
const BY_NAME = ['net.connect.name', 'http.get.name', 'fetch.name'];

const network: Claim = {
  id: 'network',
  says: 'Network I/O and HTTP requests use the pool',
  sources: [
    { title: 'libuv/help#113', url: 'https://github.com/libuv/help/issues/113' },
    {
      title: 'an answer to “does http use worker threads?”',
      url: 'https://nodeer.space/questions/is-the-nodejs-https-module-designed-to-utilize-worker-threads-for-handling-incoming-requests',
    },
  ],
  how: HOW,
  commands: [`npx plimsoll classify ${[...BY_IP, ...BY_NAME].join(' ')}`],
  observe: async (lab) => lab.classify([...BY_IP, ...BY_NAME]),
  judge(counted) {
    const isFalse = are(counted, BY_IP, 'kernel');
    return {
      verdict: decided(are(counted, BY_IP, 'pool'), isFalse),
      because: isFalse
        ? `Sockets, TLS and HTTP complete while every pool thread is blocked.${are(counted, BY_NAME, 'both') ? ' Only the lookup of a **name** before them waits for the pool.' : ''}`
        : 'The verdicts are not the same everywhere.',
    };
  },
};

const RESOLVE = ['dns.resolve4', 'dns.resolve6', 'dns.resolveMx', 'dns.reverse'];

const dnsResolve: Claim = {
  id: 'dns-resolve',
  says: 'All of dns uses the pool, dns.resolve too',
  sources: [{ title: 'nodejs/node#8436', url: 'https://github.com/nodejs/node/issues/8436' }],
  how: HOW,
  commands: [`npx plimsoll classify ${RESOLVE.join(' ')} dns.lookup`],
  observe: async (lab) => lab.classify([...RESOLVE, 'dns.lookup.name', 'dns.lookup.ip']),
  judge(counted) {
    const isFalse = are(counted, RESOLVE, 'kernel');
    return {
      verdict: decided(are(counted, RESOLVE, 'pool', 'pool ½'), isFalse),
      because: isFalse
        ? '`dns.resolve*` and `dns.reverse` send their own questions over sockets. `dns.lookup` of a name is what uses the pool.'
        : 'The verdicts are not the same everywhere.',
    };
  },
};

const lookup: Claim = {
  id: 'lookup-blocks',
  says: 'dns.lookup blocks the event loop',
  sources: [
    { title: 'nodejs/node#49394', url: 'https://github.com/nodejs/node/issues/49394' },
    { title: 'ElemeFE/node-interview#76', url: 'https://github.com/ElemeFE/node-interview/issues/76' },
  ],
  how: HOW,
  commands: ['npx plimsoll classify dns.lookup'],
  observe: async (lab) => lab.classify(['dns.lookup.name', 'dns.promises.lookup.name', 'dns.lookupService']),
  judge(counted) {
    const names = ['dns.lookup.name', 'dns.promises.lookup.name', 'dns.lookupService'];
    const isFalse = are(counted, names, 'pool ½');
    return {
      verdict: decided(are(counted, names, 'main thread'), isFalse),
      because: isFalse
        ? 'It waits on a pool thread. But it is slow I/O, marked ½: at most half of the pool, rounded up, serves lookups at a time, so two of four threads.'
        : 'The verdicts are not the same everywhere.',
    };
  },
};

const POOLED = [
  'crypto.pbkdf2',
  'crypto.scrypt',
  'crypto.randomBytes',
  'crypto.sign',
  'crypto.subtle.digest',
];
const ON_MAIN = [
  'crypto.createHash',
  'crypto.createCipheriv',
  'crypto.randomBytes.sync',
  'crypto.sign.sync',
  'crypto.subtle.importKey',
];

const crypto: Claim = {
  id: 'crypto',
  says: 'crypto runs in the pool',
  sources: [
    {
      title: 'a list of what uses the pool',
      url: 'https://interviewstacks.com/stacks/nodejs/event-loop-concurrency/how-does-libuvs-thread-pool-work-and-what-uses-it',
    },
  ],
  how: HOW,
  commands: [`npx plimsoll classify ${[...POOLED, ...ON_MAIN].join(' ')}`],
  observe: async (lab) => lab.classify([...POOLED, ...ON_MAIN]),
  judge(counted) {
    const pooled = are(counted, POOLED, 'pool');
    const main = are(counted, ON_MAIN, 'main thread');
    return {
      verdict: pooled && main ? 'depends' : decided(pooled, false),
      because: main
        ? 'What takes a callback or is of `subtle` does, `importKey` not. `createHash`, ciphers and everything without a callback compute on the main thread.'
        : 'The verdicts are not the same everywhere.',
    };
  },
};

const bcrypt: Claim = {
  id: 'bcrypt',
  says: 'bcrypt blocks the event loop',
  sources: [
    { title: 'kelektiv/node.bcrypt.js#443', url: 'https://github.com/kelektiv/node.bcrypt.js/issues/443' },
    { title: 'NodeBB/NodeBB#10326', url: 'https://github.com/NodeBB/NodeBB/issues/10326' },
  ],
  how: `${HOW} With ${list(Object.entries(PACKAGES).map(([name, version]) => `${name} ${version}`))} from npm.`,
  commands: [`npx plimsoll classify bcrypt#hash --args '["secret", 10]'`],
  async observe(lab) {
    if (lab.effort === 'quick' && !existsSync(join(scratch('folklore'), 'node_modules')))
      throw new NotHere('a quick run installs no packages');
    const folder = packages();
    const seen = Object.keys(PACKAGES).map((name) => {
      const file = join(folder, `use-${name}.mjs`);
      writeFileSync(file, `import it from '${name}';\nexport const hash = () => it.hash('secret', 10);\n`);
      const { rows, ...rest } = lab.classify([`${file}#hash`]);
      return { ...rest, rows: rows.map(({ cells }) => ({ case: `${name}.hash`, cells })) };
    });
    return { ...(seen[0] as Counted), rows: seen.flatMap(({ rows }) => rows) };
  },
  judge(counted) {
    const native = isAll(counted, 'bcrypt.hash', 'pool');
    const script = counted.rows.some(
      ({ case: name, cells }) => name === 'bcryptjs.hash' && cells.every((cell) => cell !== 'pool'),
    );
    return {
      verdict: native && script ? 'depends' : decided(false, native && !script),
      because: [
        native ? '`bcrypt` hashes on a pool thread' : '`bcrypt` does not always hash on a pool thread',
        script
          ? 'and leaves the event loop alone. `bcryptjs` is JavaScript: it hashes on the main thread, in slices, whatever its promise suggests.'
          : 'and so does `bcryptjs`.',
      ].join(' '),
    };
  },
};

export const USE_CLAIMS: readonly Claim[] = [network, dnsResolve, lookup, crypto, bcrypt];
