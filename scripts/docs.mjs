// `npm run docs [-- --serve]`: the site of docs/ into site/dist. Its packages are installed on demand, by themselves, so that
// nothing else needs them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run } from './run.mjs';

const site = join(root, 'site');
const vitepress = join(site, 'node_modules/vitepress/bin/vitepress.js');

if (!existsSync(vitepress)) npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: site });
run(process.execPath, [vitepress, 'build', 'site']);
if (process.argv.includes('--serve'))
  run(process.execPath, [vitepress, 'preview', 'site', '--host', '127.0.0.1']);
