// `npm run test:matrix [-- --others] [FILTER…]`: the tests on every supported line of Node, whose binaries come from npm;
// with --others, not on the line that runs this. What test-files.mjs says of a line is left out there.
import { parseArgs } from 'node:util';
import { LINES, nodeOfLine } from './node-lines.mjs';
import { run, setup } from './setup.mjs';
import { testFiles, testRuns } from './test-files.mjs';

const { values, positionals } = parseArgs({
  options: { others: { type: 'boolean' } },
  allowPositionals: true,
});
const own = Number(process.versions.node.split('.')[0]);

setup();
for (const line of LINES.filter((line) => !(values.others && line === own))) {
  const binary = nodeOfLine(line);
  console.log(`\n# Node ${line}`);
  run(binary, ['--version']);
  for (const args of testRuns(testFiles(positionals, line))) run(binary, args);
}
