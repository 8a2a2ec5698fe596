// `npm run test:matrix [-- --others --no-skips FILTER…]`: the tests on every supported line of Node, whose binaries come from
// npm; with --others, not on the line that runs this. test-files.mjs says what is left out on which line.
import { parseArgs } from 'node:util';
import { LINES, nodeOfLine, OWN_LINE } from './node-lines.mjs';
import { run } from './run.mjs';
import { runTests } from './run-tests.mjs';
import { setup } from './setup.mjs';
import { testFiles } from './test-files.mjs';

const { values, positionals } = parseArgs({
  options: { others: { type: 'boolean', default: false }, 'no-skips': { type: 'boolean', default: false } },
  allowPositionals: true,
});

setup();
for (const line of LINES.filter((one) => !(values.others && one === OWN_LINE))) {
  const binary = nodeOfLine(line);
  console.log(`\n# Node ${line}`);
  run(binary, ['--version']);
  await runTests(binary, line, testFiles(positionals, { line }), values['no-skips']);
}
