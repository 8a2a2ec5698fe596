// Rspack, whose loaders run on workers where they are told to be parallel: its own copy of tinypool, or what stands in for it.
import { join } from 'node:path';
import { build, isParallel, kind, output, require, sources } from './kit.mjs';

const less = (/** @type {number} */ index) =>
  `@c: #${((index * 997) % 4096).toString(16).padStart(3, '0')}; .a${index} { color: darken(@c, 10%); .b { width: (10px + ${index}); } }\n`;
const script = (/** @type {number} */ index) =>
  `export const v${index} = ({ a, ...rest }) => [...(rest.items ?? []), a?.b ?? ${index}];\n`;
const targets = { presets: [['@babel/preset-env', { targets: 'ie 11', modules: false }]] };
const loaders = {
  noop: { loader: join(import.meta.dirname, 'noop-loader.cjs'), options: {} },
  less: { loader: require.resolve('less-loader'), options: {} },
  babel: {
    loader: require.resolve('babel-loader'),
    options: { ...targets, babelrc: false, configFile: false },
  },
};
const isLess = kind === 'less';
const rule = {
  test: isLess ? /\.less$/ : /m\d+\.js$/,
  ...(isLess && { type: 'css/auto' }),
  use: [{ ...loaders[/** @type {keyof typeof loaders} */ (kind)], parallel: isParallel }],
};
build(
  require('@rspack/core').rspack({
    ...{ mode: 'development', devtool: false, entry: './index.js', optimization: { minimize: false } },
    context: sources(isLess ? 'less' : 'js', isLess ? less : script),
    output: { path: output, filename: 'out.js' },
    experiments: { css: true },
    module: { rules: [rule] },
  }),
);
