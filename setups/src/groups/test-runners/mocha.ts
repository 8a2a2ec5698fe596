import type { Output } from '../../command.js';
import type { Project } from '../../project.js';
import type { Setup } from '../../setup.js';
import { fakesFirst, forgotten, type Row, rowOf, usual, withFakes } from './plain.js';
import { PAIR, passed, type Runner, test } from './suite.js';

const esm: Runner = {
  module: 'esm',
  head: ["import sinon from 'sinon';", 'const test = it;', 'let clock;'],
  test,
  after: (expression) => `after(() => ${expression});`,
  fake: 'clock = sinon.useFakeTimers();',
  real: 'clock.restore();',
};

const cjs: Runner = {
  ...esm,
  module: 'cjs',
  head: ["const sinon = require('sinon');", 'const test = it;', 'let clock;'],
};

const mocha = (row: Omit<Row, 'argv'>): Setup =>
  rowOf({
    argv: (project: Project) => [project.node, project.bin('mocha'), '--timeout=8000'],
    ...row,
    others: { packages: { mocha: '12.0.3', sinon: '22.1.0' }, install: 'mocha', ...row.others },
  });

const seesWorker = (outputs: readonly Output[]): string | undefined =>
  passed(outputs) ??
  (/worker\.js\s*\|\s*[1-9]/.test(String(outputs.at(-1)?.stdout))
    ? undefined
    : 'no line of the worker was seen');

export const mochas: readonly Setup[] = [
  mocha({ name: 'mocha 12', runner: esm, text: usual(esm) }),
  mocha({
    name: "mocha 12, sinon's fake timers switched on and off while tasks run",
    ...{ runner: esm, text: withFakes(esm) },
  }),
  mocha({
    name: "mocha 12, sinon's fake timers before the pool is loaded",
    ...{ runner: cjs, text: fakesFirst(cjs) },
  }),
  mocha({
    name: 'mocha 12, a pool that a test forgot ends with the run',
    ...{ runner: esm, text: forgotten(esm), others: PAIR },
  }),
  rowOf({
    name: "c8 with mocha, the worker's lines are covered",
    ...{ runner: esm, text: usual(esm) },
    argv: (project) => [project.node, project.bin('c8'), project.bin('mocha')],
    others: {
      ...{ packages: { mocha: '12.0.3', sinon: '22.1.0', c8: '12.0.0' }, install: 'mocha' },
      ...{ check: seesWorker, ...PAIR },
    },
  }),
];
