import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactOptions, splitNodeOptions } from '#plimsoll/host/node-options.js';

test('names and numbers stay, values go', () => {
  assert.equal(
    redactOptions(['--max-old-space-size=64', '-r', '/home/me/a.cjs']),
    '--max-old-space-size=64 -r <value>',
  );
  assert.equal(
    redactOptions(['--inspect=10.0.0.1:9229', '--stack-size', '900']),
    '--inspect=<value> --stack-size 900',
  );
  assert.equal(redactOptions(['-e', 'throw "me"', '--import=file:///me']), '-e <value> --import=<value>');
  assert.equal(redactOptions([]), '');
});

test('NODE_OPTIONS is split at spaces outside double quotes', () => {
  assert.deepEqual(splitNodeOptions('  --a=1 "--require=./my file.js"  --b "x\\"y z" '), [
    '--a=1',
    '--require=./my file.js',
    '--b',
    'x"y z',
  ]);
  assert.deepEqual(splitNodeOptions(''), []);
  assert.deepEqual(splitNodeOptions('"--unclosed x'), ['--unclosed x']);
});

test('quoted texts come back whole, and nothing but names and numbers is published', () => {
  const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), (options) => {
      assert.deepEqual(splitNodeOptions(options.map(quote).join(' ')), options);
      assert.match(
        redactOptions(options.map((value) => `--x=${value}`)),
        /^(--x=(<value>|-?\d+(\.\d+)?)( |$))*$/,
      );
    }),
  );
});
