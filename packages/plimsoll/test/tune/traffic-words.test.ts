import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withPort } from '#plimsoll/tune/traffic/source.js';
import { splitWords } from '#plimsoll/tune/traffic/words.js';

const split = (text: string): string[] => splitWords(text, '--on-port');

describe('the words of --on-port', () => {
  test('are split as a shell splits them', () => {
    assert.deepEqual(split(`autocannon -H "x: a b" -c 4 'http://127.0.0.1:$PORT/a?b=1&c=2'`), [
      'autocannon',
      '-H',
      'x: a b',
      '-c',
      '4',
      'http://127.0.0.1:$PORT/a?b=1&c=2',
    ]);
    assert.deepEqual(split(String.raw`a\ b "c\"d\e" 'f\g' h''i "" j"k"l`), [
      'a b',
      'c"d\\e',
      'f\\g',
      'hi',
      '',
      'jkl',
    ]);
  });

  test('a real shell agrees, for words of any quoting', { skip: process.platform === 'win32' }, () => {
    const piece = fc.oneof(
      fc.stringMatching(/^[a-z0-9=:/.]+$/),
      fc.stringMatching(/^[a-z &|;*\\]*$/).map((text) => `'${text}'`),
      fc.stringMatching(/^[a-z &|;' *]*$/).map((text) => `"${text}"`),
      fc.constantFrom('\\ ', '\\"', "\\'", '\\\\', '"\\""', '"\\a"'),
    );
    const line = fc
      .array(
        fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
        { minLength: 1, maxLength: 4 },
      )
      .map((words) => words.join('  '));
    fc.assert(
      fc.property(line, (text) => {
        const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' });
        const [first, ...rest] = stdout.split('\0').slice(0, -1);
        if (first === '') return;
        assert.deepEqual(split(text), [first, ...rest]);
      }),
      { numRuns: 60 },
    );
  });

  for (const [what, text, message] of [
    ['a quote that is not closed', `autocannon "http://x`, /a quote \("\) is not closed: "autocannon/],
    ['a backslash at the end', 'autocannon \\', /ends in a backslash/],
    ['nothing', '  ', /must name a program to run, not " {2}"/],
    ['a pipe', 'autocannon http://x | tee log', /no shell is started, so "\|" would have no effect/],
    ['an ampersand in a URL', 'autocannon http://x/?a=1&b=2', /so "&" would have no effect.*quote it/],
  ] as const)
    test(`${what} is refused`, () => {
      assert.throws(() => split(text), { code: 'PLIMSOLL_USAGE', message });
    });

  test('$PORT is replaced, and nothing else', () => {
    assert.equal(withPort(`http://h:$PORT/$PORTAL?x=${'$'}{PORT}`, 81), 'http://h:81/$PORTAL?x=81');
    assert.equal(withPort('$HOME', 81), '$HOME');
  });
});
