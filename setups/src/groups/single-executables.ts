import type { Setup } from '../setup.js';
import { sources } from '../sources.js';

const CONFIGURATION = {
  main: '../bundle/main.js',
  output: '../bundle/app.blob',
  disableExperimentalSEAWarning: true,
};

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The program is inside of the executable; the worker file lies beside it. */
const executable = (name: string, line: number, commands: Setup['commands'], output: string): Setup => ({
  group: 'bundled hosts',
  name,
  packages: { esbuild: '0.28.2', postject: '1.0.0-alpha.6' },
  lines: [line],
  contenders: ['plimsoll', 'piscina'],
  files: (contender) => ({
    'package.json': '{ "private": true }\n',
    ...sources(contender, { module: 'cjs' }),
    'sea.json': `${JSON.stringify({ ...CONFIGURATION, output })}\n`,
    'copy.cjs': "require('node:fs').copyFileSync(process.execPath, '../bundle/app');\n",
    'without-sources.cjs': "require('node:fs').unlinkSync('../bundle/main.js');\n",
  }),
  commands: (contender, project) => [
    {
      argv: [
        project.node,
        ...[project.bin('esbuild'), 'src/main.js', 'src/tasks.js', '--bundle', '--platform=node'],
        ...['--format=cjs', '--outdir=../bundle', '--log-level=error'],
      ],
    },
    ...commands(contender, project),
    { argv: [project.node, 'without-sources.cjs'] },
    { argv: ['../bundle/app'] },
  ],
});

export const singleExecutables: readonly Setup[] = [
  executable(
    'node --experimental-sea-config and postject',
    20,
    (_, project) => [
      { argv: [project.node, '--experimental-sea-config', 'sea.json'] },
      { argv: [project.node, 'copy.cjs'] },
      {
        argv: [
          ...([project.node, project.bin('postject'), '../bundle/app', 'NODE_SEA_BLOB'] as const),
          ...['../bundle/app.blob', '--sentinel-fuse', FUSE],
        ],
        timeoutMs: 60_000,
      },
    ],
    '../bundle/app.blob',
  ),
  executable(
    'node --build-sea',
    26,
    (_, project) => [{ argv: [project.node, '--build-sea', 'sea.json'], timeoutMs: 60_000 }],
    '../bundle/app',
  ),
];
