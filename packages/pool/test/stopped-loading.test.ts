import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { WorkerError } from '@plimsoll/pool';
import { caught, until } from './support.js';
import { bare, folderOf } from './worker-folder.js';

// An ES module that imports CommonJS runs on without it when its thread is ended in there (Node 22 and 24).
const files = {
  'exits.cjs': "process.exit(7);\nmodule.exports = 'loaded';\n",
  'waits.cjs': `
    const { workerData } = require('node:worker_threads');
    Atomics.store(workerData, 0, 1);
    for (;;) Atomics.wait(workerData, 1, 0, 10);
  `,
  ...Object.fromEntries(
    ['exits', 'waits'].flatMap((name) => [
      [
        `${name}.mjs`,
        `import value from './${name}.cjs';\nexport default () => 'ran without it: ' + value;\n`,
      ],
      [`${name}-throws.mjs`, `import value from './${name}.cjs';\nvalue.member;\nexport default () => 1;\n`],
    ]),
  ),
};

for (const file of ['exits.mjs', 'exits-throws.mjs']) {
  test(`a worker that exits while its file loads is told as that (${file})`, async (t) => {
    const filename = join(folderOf(t, files), file);
    const pool = bare(t);
    assert.equal(
      await pool.run(1, {
        filename: join(folderOf(t, { 'one.cjs': 'module.exports = () => 1;' }), 'one.cjs'),
      }),
      1,
    );
    const error = await caught(pool.run(0, { filename }));
    assert.ok(error instanceof WorkerError, String(error.stack));
    assert.equal(error.exitCode, 7);
  });
}

for (const file of ['waits.mjs', 'waits-throws.mjs']) {
  test(`a worker that is ended while its file loads is told as that (${file})`, async (t) => {
    const filename = join(folderOf(t, files), file);
    const workerData = new Int32Array(new SharedArrayBuffer(8));
    const pool = bare(t, { workerData });
    const task = caught(pool.run(0, { filename }));
    await until(() => Atomics.load(workerData, 0) === 1);
    await pool.threads[0]?.terminate();
    const error = await task;
    assert.ok(error instanceof WorkerError, String(error.stack));
  });
}
