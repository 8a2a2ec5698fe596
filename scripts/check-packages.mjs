// `npm run check:packages`: pack every public package, lint the tarball, install it elsewhere and use it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, root, run, setup } from './setup.mjs';

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

const USES = {
  '@plimsoll/fastify': [
    [
      '--input-type=module',
      '-e',
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
  ],
  '@plimsoll/pool': [
    [
      '--input-type=module',
      '-e',
      `${SUM}
       import * as pool from '@plimsoll/pool';
       import * as piscina from '@plimsoll/pool/piscina';
       isSame(require('@plimsoll/pool'), pool);
       isSame(require('@plimsoll/pool/piscina'), piscina);
       for (const Class of [pool.Pool, require('@plimsoll/pool/piscina')]) {
         const workers = new Class({ filename });
         if ((await workers.run({ a: 4, b: 6 })) !== 10) throw new Error('a task gave a wrong result');
         await workers.close();
       }`,
    ],
  ],
  plimsoll: [
    ['node_modules/plimsoll/dist/cli/main.js', '--version'],
    [
      'node_modules/plimsoll/dist/cli/main.js',
      'bench',
      'crypto',
      '--ops',
      '4',
      '--scale',
      '0.01',
      '--blocks',
      '1',
      '--quiet',
    ],
    ['node_modules/plimsoll/dist/cli/main.js', 'timeline', 'randomBytes', '--requests', '2', '--quiet'],
    ['node_modules/plimsoll/dist/cli/main.js', 'classify', 'setTimeout', 'fs.stat', '--quiet'],
    [
      'node_modules/plimsoll/dist/cli/main.js',
      ...['load', '--mode', 'cluster', '--scale', '0.002', '--sizes', '4', '--quiet'],
    ],
    [
      'node_modules/plimsoll/dist/cli/main.js',
      ...['advise', '--sizes', '1,2,4', '--quiet', '--', process.execPath, '--input-type=module', '-e'],
      `import { pbkdf2 } from 'node:crypto';
       for (let job = 0; job < 16; job++) pbkdf2('a', 'b', 5000, 64, 'sha512', () => {});`,
    ],
  ],
};

/** What must compile in an ES module and in a CommonJS one of the same program, by the types of one class. */
const TYPES = {
  '@plimsoll/fastify': {
    'types.mts': `import plimsollPool, { plimsollPool as same } from '@plimsoll/fastify';
      export const plugin: typeof plimsollPool = same;`,
    'types.cts': `import plimsollPool from '@plimsoll/fastify';
      import fastify = require('fastify');
      fastify().register(plimsollPool, { filename: 'worker.js' });`,
  },
  '@plimsoll/pool': {
    'types.mts': `import { Pool } from '@plimsoll/pool';
      import Piscina, { type PiscinaTask } from '@plimsoll/pool/piscina';
      export const pool = new Pool();
      export const piscina: Piscina<number, string> = new Piscina();
      export const idOf = ({ taskId }: PiscinaTask): number => taskId;`,
    'types.cts': `import { Pool } from '@plimsoll/pool';
      import Piscina, { Piscina as Named, move } from '@plimsoll/pool/piscina';
      import Whole = require('@plimsoll/pool/piscina');
      import type { pool, piscina } from './types.mjs' with { 'resolution-mode': 'import' };
      export const pools: (Pool | typeof pool)[] = [new Pool()] satisfies (typeof pool)[];
      export const piscinas: (typeof piscina)[] = [new Piscina(), new Named(), new Whole.default()];
      export class Queue implements Whole.TaskQueue {
        size = move(0);
        push(): void {}
        remove(): void {}
        shift(): null { return null; }
      }`,
  },
};

/** What a tarball may weigh. A package that is not listed has no limit yet, and fails. */
const MOST_KILOBYTES = { plimsoll: 400, '@plimsoll/pool': 128, '@plimsoll/fastify': 30 };

setup();
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-pack-'));
try {
  const folders = readdirSync(join(root, 'packages')).map((folder) => join(root, 'packages', folder));
  const packages = folders.map(pack).filter((packed) => packed !== null);
  for (const one of packages) check(one, packages);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function pack(folder) {
  const {
    name,
    private: unpublished,
    dependencies = {},
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (unpublished) return null;
  const output = execFileSync(
    'npm',
    ['pack', '--json', '--loglevel=error', '--pack-destination', directory],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  const [packed] = Object.values(JSON.parse(output));
  return { name, packed, tarball: join(directory, packed.filename), needs: Object.keys(dependencies) };
}

function check({ name, packed, tarball, needs }, packages) {
  console.log(`${name}: ${packed.files.length} files, ${Math.round(packed.size / 1024)} KB packed`);
  const stray = packed.files.filter(
    ({ path }) =>
      /(^|\/)(test|test-dist|src|scripts|fixtures)\//.test(path) || /\.(test|tsbuildinfo)\b/.test(path),
  );
  if (stray.length > 0)
    throw new Error(`${name} packs what nobody needs: ${stray.map(({ path }) => path).join(', ')}`);
  if (packed.size > (MOST_KILOBYTES[name] ?? 0) * 1024)
    throw new Error(
      `${name} is larger than the ${MOST_KILOBYTES[name]} KB that scripts/check-packages.mjs allows`,
    );
  run(process.execPath, [join(root, 'node_modules/publint/src/cli.js'), '--strict', tarball]);
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const profile = name === 'plimsoll' ? 'esm-only' : 'strict';
  run(process.execPath, [attw, '--profile', profile, '--quiet', tarball]);

  const project = mkdtempSync(join(directory, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  // What it needs of this repository is not the registry's but that of this state of the code.
  const siblings = packages.filter((other) => needs.includes(other.name)).map((other) => other.tarball);
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', tarball, ...siblings], { cwd: project });
  run(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(name)})`], {
    cwd: project,
  });
  compile(project, TYPES[name] ?? {}, needs);
  for (const use of USES[name] ?? []) run(process.execPath, use, { cwd: project });
}

function compile(project, files, needs) {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  const typeRoots = join(root, 'node_modules/@types');
  // Declarations are checked too, unless those of other people are among them.
  const skipLibCheck = String(needs.length > 0);
  const args = [
    ...['--strict', '--noEmit', '--module', 'node16', '--target', 'es2023', '--skipLibCheck', skipLibCheck],
    ...['--types', 'node', '--typeRoots', typeRoots, ...Object.keys(files)],
  ];
  if (Object.keys(files).length > 0)
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], { cwd: project });
}
