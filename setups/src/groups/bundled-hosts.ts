import { type Module, WITH_DROP_IN } from '../contenders.js';
import type { Project } from '../project.js';
import type { Command, Content, Setup } from '../setup.js';
import { type Sources, sources } from '../sources.js';

/** Beside the project, so that nothing in it finds the project's node_modules. */
const BUNDLE = '../bundle';

interface Bundled extends Pick<Setup, 'name' | 'packages'>, Sources {
  /** What the sources become; default: their own module system. */
  readonly built?: Module;
  /** The tool's configuration. */
  readonly files?: Readonly<Record<string, Content>>;
  readonly build: (node: string, bin: Project['bin']) => readonly Command['argv'][];
  /** The program in the folder of the bundle; default `main.js`. */
  readonly main?: string;
}

const packageOf = (module: Module): string =>
  `${JSON.stringify({ private: true, type: module === 'esm' ? 'module' : 'commonjs' })}\n`;

/** Program and worker file go into a bundle with all that they import, and run from there. */
function bundled({ name, packages, built, files, build, main = 'main.js', ...given }: Bundled): Setup {
  return {
    group: 'bundled hosts',
    name,
    packages,
    contenders: WITH_DROP_IN,
    files: (contender) => ({
      'package.json': packageOf(given.module),
      [`${BUNDLE}/package.json`]: packageOf(built ?? given.module),
      ...sources(contender, given),
      ...files,
    }),
    commands: (_, project): Command[] => [
      ...build(project.node, (tool) => project.bin(tool)).map((argv) => ({ argv, timeoutMs: 60_000 })),
      { argv: [project.node, `${BUNDLE}/${main}`] },
    ],
  };
}

const esbuild = (name: string, module: Module, ...flags: string[]): Setup =>
  bundled({
    name: `esbuild, ${name}`,
    packages: { esbuild: '0.28.2' },
    module,
    build: (node, bin) => [
      [
        node,
        ...[bin('esbuild'), 'src/main.js', 'src/tasks.js', '--bundle', '--platform=node'],
        ...[`--format=${module}`, `--outdir=${BUNDLE}`, '--log-level=error', ...flags],
      ],
    ],
  });

const rollup = (name: string, built: 'esm' | 'cjs'): Setup =>
  bundled({
    name: `rollup, ${name}`,
    packages: {
      rollup: '4.68.7',
      '@rollup/plugin-node-resolve': '16.0.3',
      '@rollup/plugin-commonjs': '29.0.3',
      '@rollup/plugin-json': '6.1.0',
    },
    // Without `await` outside of functions, which CommonJS does not have.
    module: built === 'cjs' ? 'compiled' : 'esm',
    named: 'esm',
    built,
    files: {
      'rollup.config.mjs': `import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';

export default {
  input: ['src/main.js', 'src/tasks.js'],
  output: { dir: '${BUNDLE}', format: '${built}', exports: 'auto' },
  plugins: [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json()],
};
`,
    },
    build: (node, bin) => [[node, bin('rollup'), '--config', 'rollup.config.mjs', '--silent']],
  });

const IGNORED = '/* webpackIgnore: true */';

const webpack = (name: string, module: 'esm' | 'cjs'): Setup =>
  bundled({
    name: `webpack 5, ${name}`,
    packages: { webpack: '5.112.2', 'webpack-cli': '7.3.1' },
    module,
    filename: (usual) => usual.replace('new URL(', `new URL(${IGNORED} `),
    files: {
      'webpack.config.cjs': `const type = ${module === 'esm' ? "'module'" : "'commonjs2'"};

module.exports = {
  mode: 'production',
  target: 'node20',
  entry: { main: './src/main.js', tasks: { import: './src/tasks.js', library: { type } } },
  output: { path: require('node:path').resolve('${BUNDLE}'), filename: '[name].js', module: ${module === 'esm'} },
};
`,
    },
    build: (node, bin) => [[node, bin('webpack'), '--config', 'webpack.config.cjs']],
  });

const vite = bundled({
  name: 'Vite SSR',
  packages: { vite: '8.3.8' },
  module: 'esm',
  files: {
    'vite.config.js': `export default {
  ssr: { noExternal: true },
  build: { ssr: true, minify: true, outDir: '${BUNDLE}', rollupOptions: { input: ['src/main.js', 'src/tasks.js'] } },
};
`,
  },
  build: (node, bin) => [[node, bin('vite'), 'build', '--logLevel', 'error']],
});

const ncc = (name: string, module: 'esm' | 'cjs'): Setup =>
  bundled({
    name: `ncc, ${name}`,
    packages: { '@vercel/ncc': '0.45.0' },
    module,
    filename: (usual) => usual.replace('new URL(', `new URL(${IGNORED} `),
    worker: './tasks/index.js',
    build: (node, bin) => [
      [node, bin('ncc'), 'build', 'src/main.js', '-o', BUNDLE, '-q'],
      [node, bin('ncc'), 'build', 'src/tasks.js', '-o', `${BUNDLE}/tasks`, '-q'],
    ],
    main: 'index.js',
  });

export const bundledHosts: readonly Setup[] = [
  esbuild('ES modules', 'esm'),
  esbuild('CommonJS', 'cjs'),
  esbuild('minified, split, with source maps', 'esm', '--minify', '--splitting', '--sourcemap'),
  rollup('ES modules', 'esm'),
  rollup('CommonJS', 'cjs'),
  webpack('ES modules', 'esm'),
  webpack('CommonJS', 'cjs'),
  vite,
  ncc('ES modules', 'esm'),
  ncc('CommonJS', 'cjs'),
];
