import type { Project } from '../../project.js';
import type { Setup } from '../../setup.js';
import { fakesFirst, forgotten, rowOf, usual, withFakes } from './plain.js';
import { PAIR, type Runner, test } from './suite.js';

const esm: Runner = {
  module: 'esm',
  head: ["import { after, mock, test } from 'node:test';"],
  test,
  after: (expression) => `after(() => ${expression});`,
  fake: 'mock.timers.enable();',
  real: 'mock.timers.reset();',
};

const cjs: Runner = { ...esm, module: 'cjs', head: ["const { mock, test } = require('node:test');"] };

const argv = ({ node }: Project): [string, ...string[]] => [node, '--no-warnings', '--test'];

export const nodeTests: readonly Setup[] = [
  rowOf({
    name: 'node:test',
    ...{ runner: esm, text: usual(esm), argv },
    others: { lines: [20, 22, 24, 26], fast: true },
  }),
  rowOf({
    name: 'node:test, mock.timers switched on and off while tasks run',
    ...{ runner: esm, text: withFakes(esm), argv },
    others: { lines: [20, 26], fast: true },
  }),
  rowOf({
    name: 'node:test, mock.timers before the pool is loaded',
    ...{ runner: cjs, text: fakesFirst(cjs), argv },
    others: { lines: [20, 26] },
  }),
  rowOf({
    name: 'node:test, a pool that a test forgot ends with the run',
    ...{ runner: esm, text: forgotten(esm), argv, others: PAIR },
  }),
];
