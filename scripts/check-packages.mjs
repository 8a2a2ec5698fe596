// `npm run check:packages`: pack every public package, lint the tarball, install it elsewhere and use it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, root, run, setup } from './setup.mjs';

const USES = {
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
  ],
};

setup();
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-pack-'));
try {
  for (const folder of readdirSync(join(root, 'packages'))) check(join(root, 'packages', folder));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function check(folder) {
  const { name, private: unpublished } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (unpublished) return;
  const output = execFileSync(
    'npm',
    ['pack', '--json', '--loglevel=error', '--pack-destination', directory],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  const [packed] = Object.values(JSON.parse(output));
  const tarball = join(directory, packed.filename);
  console.log(`${name}: ${packed.files.length} files, ${Math.round(packed.size / 1024)} KB packed`);
  const stray = packed.files.filter(({ path }) => /(^|\/)(test|test-dist|src)\//.test(path));
  if (stray.length > 0)
    throw new Error(`${name} packs what nobody needs: ${stray.map(({ path }) => path).join(', ')}`);
  run(process.execPath, [join(root, 'node_modules/publint/src/cli.js'), '--strict', tarball]);

  const project = mkdtempSync(join(directory, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: project });
  run(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(name)})`], {
    cwd: project,
  });
  for (const use of USES[name] ?? []) run(process.execPath, use, { cwd: project });
}
