import type { Setup } from '../setup.js';
import { sources } from '../sources.js';

/** An app with its packages, and with nothing else of this project's. */
const PACK = (name: string): string => `const { cpSync, rmSync } = require('node:fs');
const { createPackage } = require('@electron/asar');

cpSync('node_modules/${name}', 'app/node_modules/${name}', { recursive: true });
createPackage('app', '../bundle/app.asar').then(() => rmSync('app', { recursive: true }));
`;

export const asar: readonly Setup[] = [
  {
    group: 'bundled hosts',
    name: 'an asar archive, read by asar-node',
    packages: { '@electron/asar': '3.4.1', 'asar-node': '3.1.1' },
    note: "asar-node teaches `fs` and `require` to read such archives, in the program and in its workers, as Electron does. Electron's own program is not on npm, so it was not tried.",
    files: (contender) => ({
      'package.json': '{ "private": true }\n',
      ...sources(contender, { module: 'cjs', folder: 'app' }),
      'app/package.json': '{ "private": true }\n',
      'pack.cjs': PACK(contender.package),
      'archives.cjs': "require('asar-node').register();\n",
      // The program of a process is no file of an archive: Electron's own is the first that runs, too.
      'start.cjs': "require('../bundle/app.asar/main.js');\n",
    }),
    commands: (_, { node }) => [
      { argv: [node, 'pack.cjs'] },
      { argv: [node, '--require', './archives.cjs', 'start.cjs'] },
    ],
  },
];
