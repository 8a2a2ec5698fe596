import { readdirSync } from 'node:fs';
import { ESLint } from 'eslint';
import { count, inputs, work } from './kit.mjs';

const rules = {
  'no-unused-vars': 1,
  'no-undef': 1,
  eqeqeq: 1,
  'prefer-const': 1,
  complexity: [1, 5],
  indent: 1,
};
const lint = new ESLint({ cwd: inputs, overrideConfigFile: true, overrideConfig: [{ rules }] });
const folders = readdirSync(inputs);

/** One unit is a folder. */
await work('lint', count, 1, (unit) => lint.lintFiles([`${folders[unit % folders.length]}/*.js`]));
