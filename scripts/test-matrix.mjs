// `npm run test:matrix`: the tests on every supported line of Node, whose binaries come from npm.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run, setup } from './setup.mjs';
import { testFiles } from './test-files.mjs';

const LINES = [20, 22, 24, 26];

setup();
for (const line of LINES) {
  const binary = nodeOfLine(line);
  console.log(`\n# Node ${line}`);
  run(binary, ['--version']);
  run(binary, ['--test', '--test-reporter=spec', ...testFiles(process.argv.slice(2))]);
}

function nodeOfLine(line) {
  if (Number(process.versions.node.split('.')[0]) === line) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const prefix = join(root, '.cache', `node-${line}`);
  const binary = join(
    prefix,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (!existsSync(binary))
    npm([
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${line}`,
    ]);
  return binary;
}
