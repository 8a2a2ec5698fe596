import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETUPS } from '#setups/groups/groups.js';
import { installsOf, rowsOf } from '#setups/matrix.js';
import type { Setup } from '#setups/setup.js';

const setup = (name: string, some: Partial<Setup> = {}): Setup => ({
  ...{ group: 'group', name, packages: {}, files: () => ({}), commands: () => [] },
  ...some,
});

const everything = { filters: [], only: null, fast: false };

test('a row for each line of Node; only what was asked for', () => {
  const setups = [setup('one', { lines: [20, 24] }), setup('two', { fast: true })];
  const names = (selection: Partial<Parameters<typeof rowsOf>[1]>) =>
    rowsOf(setups, { ...everything, ...selection }).map(({ setup: { name }, line }) => `${name} ${line}`);
  assert.deepEqual(names({}), ['one 20', 'one 24', 'two 20']);
  assert.deepEqual(names({ filters: ['two'] }), ['two 20']);
  assert.deepEqual(names({ filters: ['group · o'] }), ['one 20', 'one 24']);
  assert.deepEqual(names({ fast: true }), ['two 20']);
  assert.deepEqual(names({ only: ['plimsoll/piscina'] }), []);
});

test('the set-ups of an install share its packages, and must agree on them', () => {
  const one = setup('one', { packages: { a: '1.0.0' } });
  const installs = installsOf([one, setup('two', { packages: { b: '2.0.0' } })]);
  assert.deepEqual({ a: installs.get('group')?.a, b: installs.get('group')?.b }, { a: '1.0.0', b: '2.0.0' });
  const other = setup('other', { packages: { a: '2.0.0' } });
  assert.throws(
    () => installsOf([one, other]),
    /group · other: the install "group" has a 1\.0\.0, not 2\.0\.0/,
  );
  assert.equal(installsOf([one, { ...other, install: 'apart' }]).get('apart')?.a, '2.0.0');
});

test('names of set-ups are unique in their group, versions are exact, fast ones need no package', () => {
  const titles = SETUPS.map(({ group, name }) => `${group} · ${name}`);
  assert.deepEqual(titles, [...new Set(titles)]);
  for (const { packages, fast } of SETUPS) {
    for (const version of Object.values(packages)) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
    if (fast) assert.deepEqual(packages, {});
  }
  installsOf(SETUPS);
});
