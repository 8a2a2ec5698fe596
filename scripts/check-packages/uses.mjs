/** Ends with an error where something is not the same by `require` and by `import`. */
const IS_SAME = `(required, imported) => {
  for (const name of Object.keys(imported))
    if (required[name] !== imported[name]) throw new Error('two states: ' + name + ' differs');
}`;

const SUM = `import { writeFileSync } from 'node:fs';
  import { createRequire } from 'node:module';
  writeFileSync('worker.mjs', 'export default ({ a, b }) => a + b');
  const filename = process.cwd() + '/worker.mjs';
  const require = createRequire(filename);
  const isSame = ${IS_SAME};`;

/**
 * What each package must do in a folder where only its tarball is installed: programs by its import, or by `npx` its commands.
 *
 * @type {Record<string, { programs?: string[], commands?: string[][], files?: Record<string, string> }>}
 */
export const USES = {
  '@plimsoll/bullmq': {
    programs: [
      `${SUM}
       import * as fleet from '@plimsoll/bullmq';
       isSame(require('@plimsoll/bullmq'), fleet);
       const tasks = fleet.createTasks({ filename, fleet: process.env.NO_SUCH_SETTING });
       if ((await tasks.run({ a: 4, b: 6 })) !== 10) throw new Error('a task gave a wrong result');
       await tasks.close();
       const unreachable = fleet.createFleet({ queue: 'a', connection: { port: 1 }, offlineTimeout: 100 });
       const { code } = await unreachable.run(1).catch((error) => error);
       if (code !== 'PLIMSOLL_FLEET_UNAVAILABLE') throw new Error('no Redis, and yet ' + code);
       await unreachable.close();`,
    ],
    commands: [['plimsoll-worker', '--help']],
  },
  '@plimsoll/fastify': {
    programs: [
      `${SUM}
       import { fastify as create } from 'fastify';
       import * as plugin from '@plimsoll/fastify';
       isSame(require('@plimsoll/fastify'), plugin);
       const fastify = create();
       fastify.register(require('@plimsoll/fastify'), { filename, metrics: '/metrics' });
       fastify.get('/', (request) => request.runTask({ a: 4, b: 6 }));
       if ((await fastify.inject('/')).body !== '10') throw new Error('a request gave a wrong result');
       if ((await fastify.inject('/metrics')).statusCode !== 200) throw new Error('no statistics');
       await fastify.close();`,
    ],
  },
  '@plimsoll/monitor': {
    programs: [
      `import { randomBytes } from 'node:crypto';
       import { createRequire } from 'node:module';
       import * as imported from '@plimsoll/monitor';
       import { monitor } from '@plimsoll/monitor/auto';
       const require = createRequire(process.cwd() + '/a.mjs');
       const isSame = ${IS_SAME};
       isSame(require('@plimsoll/monitor'), imported);
       if (require('@plimsoll/monitor/auto').monitor !== monitor) throw new Error('two monitors');
       randomBytes(8, () => {});
       while (monitor.count === 0) await new Promise((resolve) => setTimeout(resolve, 10));
       if (!(monitor.mean > 0)) throw new Error('no wait was measured');`,
    ],
  },
  '@plimsoll/pool': {
    programs: [
      `${SUM}
       import * as pool from '@plimsoll/pool';
       import * as piscina from '@plimsoll/pool/piscina';
       import * as tinypool from '@plimsoll/pool/tinypool';
       isSame(require('@plimsoll/pool'), pool);
       import * as observe from '@plimsoll/pool/observe';
       import * as worker from '@plimsoll/pool/worker';
       isSame(require('@plimsoll/pool/piscina'), piscina);
       isSame(require('@plimsoll/pool/tinypool'), tinypool);
       isSame(require('@plimsoll/pool/observe'), observe);
       isSame(require('@plimsoll/pool/worker'), worker);
       import * as testing from '@plimsoll/pool/testing';
       isSame(require('@plimsoll/pool/testing'), testing);
       for (const Class of [pool.Pool, testing.TestPool, require('@plimsoll/pool/piscina'), tinypool.Tinypool]) {
         const workers = new Class({ filename });
         if ((await workers.run({ a: 4, b: 6 })) !== 10) throw new Error('a task gave a wrong result');
         await workers.close();
       }`,
    ],
  },
  plimsoll: {
    programs: [
      `import { createRequire } from 'node:module';
       import { mark } from 'plimsoll/mark';
       for (const same of [mark, createRequire(process.cwd() + '/a.mjs')('plimsoll/mark').mark])
         if (same('a', () => 7) !== 7) throw new Error('a mark gave a wrong result');`,
    ],
    commands: [
      ['plimsoll', '--version'],
      ['plimsoll', ...words('bench crypto --ops 4 --scale 0.01 --time 1 --quiet --json a.json')],
      ['plimsoll', ...words('report a.json')],
      ['plimsoll', ...words('classify --draw randomBytes --requests 2 --quiet')],
      ['plimsoll', ...words('trace --quiet --'), process.execPath, 'app.mjs'],
    ],
    files: {
      'app.mjs': `import { pbkdf2 } from 'node:crypto';
        for (let job = 0; job < 16; job++) pbkdf2('a', 'b', 5000, 64, 'sha512', () => {});`,
    },
  },
};

/** @param {string} text */
function words(text) {
  return text.split(' ');
}
