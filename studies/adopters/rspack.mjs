// Rspack, whose loaders run on workers where they are told to be parallel: its own copy of tinypool, or what stands in for it.
import { build, isParallel, output, require, sources } from './kit.mjs';
import { extension, loader, rule, textOf } from './loaders.mjs';

build(
  require('@rspack/core').rspack({
    ...{ mode: 'development', devtool: false, entry: './index.js', optimization: { minimize: false } },
    context: sources(extension, textOf),
    output: { path: output, filename: 'out.js' },
    experiments: { css: true },
    module: { rules: [{ ...rule, use: [{ ...loader, parallel: isParallel }] }] },
  }),
);
