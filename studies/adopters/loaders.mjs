// The modules that Rspack and webpack build, and their loaders.
import { join } from 'node:path';
import { kind, require } from './kit.mjs';

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

export const isLess = kind === 'less';
export const extension = isLess ? 'less' : 'js';
export const textOf = isLess ? less : script;
export const loader = loaders[/** @type {keyof typeof loaders} */ (kind)];
export const rule = { test: isLess ? /m\d+\.less$/ : /m\d+\.js$/, ...(isLess && { type: 'css/auto' }) };
