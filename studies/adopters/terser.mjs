// webpack, which minifies chunks on workers: jest-worker's processes, or what stands in for them.
import { build, count, isParallel, output, require, sources } from './kit.mjs';

const TerserPlugin = require('terser-webpack-plugin');
const script = (/** @type {number} */ index) =>
  Array.from(
    { length: 400 },
    (_, line) =>
      `export function f${line}(first, second) { return first * ${line} + second * ${index} || String(first); }`,
  ).join('\n');
const context = sources('js', script);
const entries = Array.from({ length: count }, (_, index) => [`m${index}`, `./m${index}.js`]);
build(
  require('webpack')({
    ...{ mode: 'production', devtool: false, context, entry: Object.fromEntries(entries) },
    output: { path: output, filename: '[name].js', library: { type: 'commonjs2' } },
    optimization: { minimizer: [new TerserPlugin({ parallel: isParallel && 2, extractComments: false })] },
    performance: { hints: false },
  }),
);
