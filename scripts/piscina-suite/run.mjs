// `npm run test:piscina-suite [-- --against piscina] [FILE…]`: the published tests of Piscina, run as its own package.json runs
// them, against `@plimsoll/pool/piscina`; or against Piscina itself, as a control. expected-failures.json says which tests fail,
// and why: a further failure ends the command with 1, and so does one of those that passes. The programs of Piscina's README must
// print the same with both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setup } from '../setup.mjs';
import { layOut, version } from './package.mjs';
import { runReadme } from './readme.mjs';
import { runTestFile } from './test-file.mjs';

/** @typedef {import('./test-file.mjs').TestOutcome} TestOutcome */

const { values, positionals } = parseArgs({
  options: { against: { type: 'string', default: 'drop-in' } },
  allowPositionals: true,
});
if (!['drop-in', 'piscina'].includes(values.against)) {
  console.error('usage: npm run test:piscina-suite -- [--against drop-in|piscina] [FILE…]');
  process.exit(2);
}
setup();
const directory = layOut(values.against);
/** @type {Record<string, string>} */
const expected = values.against === 'piscina' ? {} : read('expected-failures.json');

/** @param {string} name */
function read(name) {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** @param {TestOutcome} test */
const isExpected = ({ name, outcome }) =>
  outcome === 'skipped' || (outcome === 'failed') === name in expected;

/**
 * Piscina's tests assert on times: a file with a surprise runs a second time, and says so. Each test must be as expected in one
 * of the two.
 *
 * @param {string} file
 */
async function runSteadily(file) {
  const tests = await runTestFile(directory, join('test', file));
  const surprises = tests.filter((test) => !isExpected(test));
  if (surprises.length === 0) return tests;
  console.log(`${file} once more, because of ${surprises.map(({ name }) => `"${name}"`).join(', ')}`);
  const again = await runTestFile(directory, join('test', file));
  return again.map(
    (test) => [test, ...tests].find((one) => one.name === test.name && isExpected(one)) ?? test,
  );
}

/** @param {string} file */
const wanted = (file) => positionals.length === 0 || positionals.some((text) => file.includes(text));
const files = readdirSync(join(directory, 'test')).filter(
  (file) => file.endsWith('.test.ts') && wanted(file),
);
/** @type {TestOutcome[]} */
const tests = [];
for (const file of files) {
  const own = await runSteadily(file);
  console.log(`${file}: ${own.filter(({ outcome }) => outcome === 'passed').length} of ${own.length} pass`);
  tests.push(...own);
}
for (const test of tests) {
  if (isExpected(test) && test.outcome !== 'failed') continue;
  const verdict = isExpected(test) ? 'fails, as expected' : `${test.outcome}, which was not expected`;
  console.log(`\n${test.name}: ${verdict}\n    ${expected[test.name] ?? test.reason}`);
}
const missing = Object.keys(expected).filter(
  (name) => wanted(name.split(': ')[0]) && !tests.some((test) => test.name === name),
);
for (const name of missing) console.log(`\n${name}: expected to fail, and no such test ran`);
/** @param {TestOutcome['outcome']} outcome */
const count = (outcome) => tests.filter((test) => test.outcome === outcome).length;
console.log(
  `\nPiscina ${version}, ${values.against}: of ${tests.length} tests ${count('passed')} pass, ${count('failed')} fail, ${count('skipped')} are skipped`,
);
// Of the whole suite, so not when only some files are wanted.
const different = positionals.length === 0 && values.against === 'drop-in' ? await runReadme() : [];
process.exitCode =
  different.length > 0 || tests.length === 0 || missing.length > 0 || !tests.every(isExpected) ? 1 : 0;
