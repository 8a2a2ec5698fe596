// vitest 3, each of whose test files has a fresh worker of tinypool, or of what stands in for it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { count, isParallel, kind, require } from './kit.mjs';

const root = join(process.env.TMPDIR ?? '', 'tests');
mkdirSync(root, { recursive: true });
writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
for (let index = 0; index < count; index++)
  writeFileSync(
    join(root, `t${index}.test.js`),
    `import { expect, test } from 'vitest';\ntest('sum ${index}', () => expect(1 + ${index}).toBe(${index + 1}));\n`,
  );
const entry = join(dirname(require.resolve('vitest/package.json')), 'dist/node.js');
const { startVitest } = await import(pathToFileURL(entry).href);
const threads = {
  isolate: kind === 'isolated',
  ...(isParallel ? { maxThreads: 2, minThreads: 2 } : { singleThread: true }),
};
const started = performance.now();
const options = { root, watch: false, pool: 'threads', poolOptions: { threads }, reporters: [{}] };
const vitest = await startVitest('test', [], options);
const results = vitest.state
  .getTestModules()
  .map((/** @type {any} */ module) => [module.relativeModuleId, module.state()]);
await vitest.close();
const ms = performance.now() - started;
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ms, peakMb, output: JSON.stringify(results.sort()) }));
process.exit(
  results.length === count && results.every((/** @type {any} */ [, state]) => state === 'passed') ? 0 : 1,
);
