import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
// @ts-expect-error a script without declarations
import { COMMAND_NAMES, optionsSchema, optionTable, pageOf, tableIn } from '../../scripts/options.mjs';

describe('the page of each command has the table of its options', () => {
  for (const name of COMMAND_NAMES as readonly string[])
    test(name, () => {
      const hint = 'run npm run docs:options';
      assert.equal(tableIn(readFileSync(pageOf(name), 'utf8')), optionTable(name), hint);
    });
});

test('the JSON Schema of options has the names, units and bounds of the functions', () => {
  const { tune, run } = optionsSchema().$defs;
  assert.deepEqual(tune.properties.timeMs, {
    ...{ type: 'number', exclusiveMinimum: 0, maximum: 86_400_000, default: 55_000 },
    description: 'time limit of the measurement; it ends sooner once the answer is known; in milliseconds',
  });
  assert.deepEqual(tune.properties.objective.enum, ['mean', 'p99', 'throughput']);
  assert.equal(tune.properties.html, undefined, 'a document is no option of a function');
  assert.deepEqual(run.required, ['command', 'size']);
});
