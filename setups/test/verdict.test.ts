import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Output } from '#setups/command.js';
import { printsRight, withoutPlaces } from '#setups/verdict.js';

const output = (some: Partial<Output>): Output => ({
  ...{ argv: ['node'], stdout: '', stderr: '', exitCode: 0, signal: null, timedOut: false, ms: 20_000 },
  ...some,
});

test('works: the last command exits with 0 and prints RIGHT on a line of its own', () => {
  assert.equal(printsRight([output({}), output({ stdout: 'some\nRIGHT\n' })]), undefined);
  assert.equal(printsRight([output({ stdout: 'RIGHT\n' }), output({})]), 'ended without a result');
  assert.equal(printsRight([output({ stdout: 'ALRIGHT\n' })]), 'ended without a result');
  assert.equal(printsRight([]), 'no command was run');
});

test('a program that is right but does not end does not work', () => {
  assert.equal(
    printsRight([output({ stdout: 'RIGHT\n', exitCode: null, signal: 'SIGKILL', timedOut: true })]),
    'did not end within 20 s',
  );
});

test('says what the program said, else how it ended', () => {
  const failed = (some: Partial<Output>) => printsRight([output({ exitCode: 1, ...some })]);
  assert.equal(
    failed({ stderr: 'node:internal/x:1\n\nTypeError [ERR_X]: odd\n    at y\n' }),
    'TypeError [ERR_X]: odd',
  );
  assert.equal(
    failed({ stderr: 'AssertionError: Expected:\n+ 1\n- 2\n' }),
    'AssertionError: Expected: + 1 - 2',
  );
  assert.equal(failed({ stdout: 'nothing known\n' }), 'nothing known');
  assert.equal(failed({ stdout: '⨯ Error: odd\n✓ Ready\n' }), '⨯ Error: odd');
  assert.equal(
    failed({ exitCode: 13, stderr: '(node:1) Warning: x\n' }),
    'ended while a promise was pending',
  );
  assert.equal(failed({ exitCode: null, signal: 'SIGSEGV' }), 'ended by SIGSEGV');
});

test('leaves out what differs from run to run', () => {
  assert.equal(
    withoutPlaces('Error: /tmp/a/project/b.js (node:12) odd', ['/tmp/a', '/root']),
    'Error: …/project/b.js odd',
  );
});
