import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import labels from '#plimsoll/target/child/labels.cjs';

const { LONGEST, MOST_ROUTES, OTHER, pathPattern, Routes } = labels;

describe('the route of a URL', () => {
  const same = ['/', '/users', '/v1/users', '/api/v2/items', '/a/b/c', '/.well-known/acme', '/facade', ''];
  for (const url of same) test(`"${url}" stays`, () => assert.equal(pathPattern(url), url));
  const patterns = {
    '/users/42': '/users/:id',
    '/users/42/': '/users/:id/',
    '/users/42?full=1#top': '/users/:id',
    '/a?b=/c/d': '/a',
    '/0b8f1c1e-5f1d-4c5e-9f36-2f6a3c1d9e77/edit': '/:id/edit',
    '/commit/1a410efbd13591db07496601ebc7a059dd55cfe9': '/commit/:id',
    '/t/01J9ZK4A2Y8W7V6T5S4R3Q2P1N': '/t/:id',
    '/orders/order-20241125': '/orders/:id',
    '/day/2024-11-25': '/day/:id',
    '/v1/things/007/parts/12': '/v1/things/:id/parts/:id',
    'http://example.com/users/7': '/users/:id',
    'https://example.com': '',
    '*': '*',
    [`/${'long'.repeat(20)}`]: '/:id',
  };
  for (const [url, pattern] of Object.entries(patterns))
    test(`"${url.slice(0, 60)}" is ${pattern}`, () => assert.equal(pathPattern(url), pattern));
});

/** Names that were told, with the numbers that they were told under. */
const told = (): { names: Map<number, string>; routes: InstanceType<typeof Routes> } => {
  const names = new Map<number, string>();
  const routes = new Routes((route, name) => {
    assert.ok(!names.has(route), 'told once');
    names.set(route, name);
  });
  return { names, routes };
};

describe('routes are bounded, whatever is asked for', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.string({
      unit: fc.constantFrom('/', '?', '\u0000', '\u001b', '\ud800', 'é', '7', '%', 'a'),
      maxLength: 60,
    }),
    fc.webUrl(),
    fc.webPath(),
  );

  test('a label is short and well-formed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, anything), { maxLength: 40 }), (asked) => {
        const { names, routes } = told();
        const numbers = asked.map(([method, url]) => routes.ofUrl(method, url));
        for (const number of numbers) assert.ok(names.has(number), 'told before it is used');
        // The same again has the same number.
        assert.deepEqual(
          asked.map(([method, url]) => routes.ofUrl(method, url)),
          numbers,
        );
        for (const name of names.values()) {
          assert.ok(name.length <= LONGEST, `${name.length} long`);
          assert.doesNotMatch(name, /\p{Surrogate}/u);
        }
      }),
    );
  });

  test('the first 200 keep their names, all others share one', () => {
    const { names, routes } = told();
    const letters = (n: number): string => String.fromCharCode(97 + (n % 26), 97 + Math.trunc(n / 26));
    const numbers = Array.from({ length: 300 }, (_, index) => routes.ofUrl('GET', `/${letters(index)}`));
    assert.equal(names.size, MOST_ROUTES + 1);
    assert.equal(new Set(numbers).size, MOST_ROUTES + 1);
    assert.equal(names.get(numbers[250] ?? 0), OTHER);
    assert.equal(routes.ofUrl('GET', `/${letters(3)}`), numbers[3]);
    assert.equal(routes.named('GET /by/:pattern'), numbers[299]);
  });

  test('a million URLs, none like another, need no memory', () => {
    const path = fileURLToPath(new URL('../../dist/target/child/labels.cjs', import.meta.url));
    // In letters, so that nothing looks like an id; kept, they would need ten times what the process may have.
    const code = `
      const { Routes } = require(${JSON.stringify(path)});
      let told = 0;
      const routes = new Routes(() => told++);
      const letters = (n) => n.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[digit]);
      for (let n = 0; n < 1e6; n++) routes.ofUrl('GET', '/page/' + letters(n) + '/' + 'filler-'.repeat(20));
      console.log(told);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=32', '-e', code], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr.slice(0, 500));
    assert.equal(stdout.trim(), String(MOST_ROUTES + 1));
  });
});
