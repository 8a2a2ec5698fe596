import type { Setup } from '../../setup.js';
import { forgotten, type Row, rowOf, usual } from './plain.js';
import { PAIR, type Runner } from './suite.js';

const runner: Runner = {
  module: 'esm',
  head: ["import test from 'ava';"],
  test: (name, lines) =>
    [
      `test(${JSON.stringify(name)}, async (t) => {`,
      ...lines,
      ...["console.log('RIGHT');", 't.pass();', '});'],
    ].join('\n'),
  after: (expression) => `test.after.always(() => ${expression});`,
  // It comes with none.
  fake: '',
  real: '',
};

const VERSIONS = { 7: '7.0.0', 8: '8.0.1' } as const;

const ava = (
  major: 7 | 8,
  row: Pick<Row, 'name' | 'text'> & Partial<Row>,
  flags: readonly string[] = [],
): Setup =>
  rowOf({
    argv: (project) => [project.node, project.bin('ava'), ...flags],
    runner,
    ...row,
    name: `ava ${major}, ${row.name}`,
    others: {
      ...{ packages: { ava: VERSIONS[major] }, install: `ava ${major}`, lines: [major === 7 ? 20 : 24] },
      ...row.others,
    },
  });

export const avas: readonly Setup[] = [
  ava(7, { name: 'in threads', text: usual(runner) }),
  ava(7, { name: 'in processes', text: usual(runner), others: PAIR }, ['--no-worker-threads']),
  ava(7, { name: 'a pool that a test forgot ends with the run', text: forgotten(runner), others: PAIR }),
  ava(8, { name: 'in threads', text: usual(runner), others: PAIR }),
];
