// `npm run test:piscina-suite -- CHECKOUT [--against MODULE]`: runs the test files of a Piscina checkout (yours; nothing is
// fetched) against `@plimsoll/pool/piscina`, or against another module for comparison, and lists what fails.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, setup } from '../setup.mjs';

const [checkout, option, module] = process.argv.slice(2);
if (checkout === undefined || (option !== undefined && option !== '--against')) {
  console.error('usage: npm run test:piscina-suite -- CHECKOUT [--against MODULE]');
  process.exit(2);
}
setup();
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-suite-'));
try {
  process.exitCode = runSuite(compile(resolve(checkout, 'test')));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Compile the tests to CommonJS beside an index.js that stands where Piscina's own would. */
function compile(source) {
  const copied = join(directory, 'source', 'test');
  cpSync(source, copied, { recursive: true });
  cpSync(join(source, '..', 'package.json'), join(directory, 'source', 'package.json'));
  const out = join(directory, 'out');
  cpSync(copied, join(out, 'test'), { recursive: true });
  writeFileSync(
    join(directory, 'source', 'test', 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{
          target: 'es2022',
          module: 'commonjs',
          moduleResolution: 'bundler',
          esModuleInterop: true,
          types: [],
        },
        ...{ rootDir: '.', outDir: join(out, 'test'), strict: false, noCheck: true, noEmitOnError: false },
      },
      include: ['**/*.ts'],
    }),
  );
  spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(copied, 'tsconfig.json')],
    {
      stdio: 'ignore',
    },
  );
  const tests = join(out, 'test');
  for (const file of readdirSync(tests, { recursive: true, encoding: 'utf8' })) {
    const path = join(tests, file);
    if (!file.endsWith('.js')) continue;
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(fixtures\/[\w-]+)\.ts\b/g, '$1.js'));
  }
  writeFileSync(join(out, 'package.json'), readFileSync(join(directory, 'source', 'package.json')));
  const against = module === undefined ? '@plimsoll/pool/piscina' : resolve(module);
  const entry = `const module_ = require(${JSON.stringify(against)});
module.exports = module_['module.exports'] ?? module_.default ?? module_;\n`;
  mkdirSync(join(out, 'dist'));
  for (const place of ['index.js', 'dist/main.js', 'dist/index.js']) writeFileSync(join(out, place), entry);
  const reexport = `export * from ${JSON.stringify(against)};\nexport { default } from ${JSON.stringify(against)};\n`;
  writeFileSync(join(out, 'dist/esm-wrapper.mjs'), reexport);
  mkdirSync(join(out, 'node_modules'));
  symlinkSync(join(root, 'node_modules/@plimsoll'), join(out, 'node_modules/@plimsoll'));
  mkdirSync(join(out, 'node_modules/tap'));
  cpSync(fileURLToPath(new URL('./tap.cjs', import.meta.url)), join(out, 'node_modules/tap/index.js'));
  return tests;
}

function runSuite(tests) {
  const files = readdirSync(tests).filter((file) => file.endsWith('.js'));
  let passed = 0;
  const failures = [];
  for (const file of files) {
    const { stdout, error } = spawnSync(
      process.execPath,
      ['--test', '--test-reporter=tap', join(tests, file)],
      {
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, NODE_OPTIONS: '--no-warnings' },
      },
    );
    if (error?.code === 'ETIMEDOUT')
      failures.push(`${file.replace('.js', '.ts')}: did not end; its further tests did not run`);
    for (const [, verdict, name, directive] of stdout.matchAll(
      /^(?: {4})?(ok|not ok) \d+ - (.+?)( # SKIP.*)?$/gm,
    )) {
      if (name.endsWith(file) || directive !== undefined) continue;
      if (verdict === 'ok') passed++;
      else failures.push(`${file.replace('.js', '.ts')}: ${name}\n${reason(stdout, name)}`);
    }
  }
  for (const failure of failures) console.log(`✖ ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

/** The first line of the error in the YAML block behind a failed test. */
function reason(stdout, name) {
  const at = stdout.indexOf(` - ${name}`, stdout.search(/not ok \d+ - /));
  const text = /error: (?:\|-\s*)?(.*)/.exec(stdout.slice(at, at + 2000))?.[1];
  return `    ${text ?? 'no reason given'}`;
}
