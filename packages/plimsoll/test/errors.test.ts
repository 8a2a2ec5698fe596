import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlimsollError } from '#plimsoll/errors.js';

test('an error carries its stable code and the exit code of the command line', () => {
  const error = new PlimsollError('PLIMSOLL_USAGE', 'pool size must be from 1 to 1024, not 0');
  assert.equal(error.code, 'PLIMSOLL_USAGE');
  assert.equal(error.exitCode, 2);
});
