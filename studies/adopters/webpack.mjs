// webpack, whose loaders run in its own thread, in thread-loader's processes, or on a pool of threads by pool-loader.cjs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm, build, isParallel, output, require, sources } from './kit.mjs';
import { extension, isLess, loader, rule, textOf } from './loaders.mjs';

// Style sheets import one by an alias of webpack, which less-loader cannot resolve without it.
const context = sources(extension, (index) =>
  isLess ? `@import '~theme/colors.less';\n${textOf(index)}` : textOf(index),
);
mkdirSync(join(context, 'theme'));
writeFileSync(join(context, 'theme/colors.less'), '@accent: #248;\n');
const parallel =
  arm === 'plimsoll' ? join(import.meta.dirname, 'pool-loader.cjs') : require.resolve('thread-loader');
build(
  require('webpack')({
    ...{ mode: 'development', devtool: false, context, entry: './index.js', experiments: { css: true } },
    output: { path: output, filename: 'out.js' },
    resolve: { alias: { theme: join(context, 'theme') } },
    module: {
      rules: [
        { ...rule, use: [...(isParallel ? [{ loader: parallel, options: { workers: 2 } }] : []), loader] },
      ],
    },
  }),
);
