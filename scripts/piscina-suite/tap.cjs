// As much of tap's interface as Piscina's tests use, over node:test and node:assert, so that its suite runs unchanged.
'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');

/** tap compares patterns loosely: own fields of the pattern, regular expressions against texts. */
function matches(value, pattern) {
  if (pattern instanceof RegExp) return pattern.test(String(value instanceof Error ? value.message : value));
  if (pattern === null || typeof pattern !== 'object') return Object.is(value, pattern);
  const keys = pattern instanceof Error ? ['message'] : Object.keys(pattern);
  return keys.every((key) => matches(value?.[key], pattern[key]));
}

function expectError(error, pattern) {
  if (typeof pattern === 'function') assert.ok(error instanceof pattern, `${error} is no ${pattern.name}`);
  else if (pattern !== undefined && typeof pattern !== 'string')
    assert.ok(
      matches(error, pattern),
      `${error?.stack ?? error} does not match ${JSON.stringify(pattern) ?? pattern}`,
    );
}

function assertions(plan) {
  const counted =
    (check) =>
    (...args) => {
      plan.done++;
      return check(...args);
    };
  const not =
    (check) =>
    (...args) =>
      assert.throws(() => check(...args), 'these should differ');
  const api = {
    equal: (a, b) => assert.equal(a, b),
    not: not((a, b) => assert.equal(a, b)),
    same: (a, b) => assert.deepEqual(a, b),
    strictSame: (a, b) => assert.deepEqual(a, b),
    ok: (value) => assert.ok(value),
    notOk: (value) => assert.ok(!value),
    match: (value, pattern) => assert.ok(matches(value, pattern), `${value} does not match ${pattern}`),
    throws(fn, pattern) {
      let thrown;
      try {
        fn();
      } catch (error) {
        thrown = { error };
      }
      assert.ok(thrown, 'it should throw');
      expectError(thrown.error, pattern);
    },
    async rejects(promise, pattern) {
      const outcome = await Promise.resolve(typeof promise === 'function' ? promise() : promise).then(
        () => null,
        (error) => ({ error }),
      );
      assert.ok(outcome, 'it should reject');
      expectError(outcome.error, pattern);
    },
    resolves: async (promise) => void (await (typeof promise === 'function' ? promise() : promise)),
    pass() {},
    fail: (message) => assert.fail(message),
  };
  for (const [name, check] of Object.entries(api)) api[name] = counted(check);
  return api;
}

async function runBody(body) {
  const plan = { wanted: null, done: 0, resolve: null };
  const api = assertions(plan);
  const pending = [];
  const rejects = api.rejects;
  // Piscina's tests do not await every `rejects`; tap waits for them and so do we.
  api.rejects = (...args) => {
    const promise = rejects(...args);
    pending.push(promise.catch((error) => ({ error })));
    return promise;
  };
  api.plan = (count) => {
    plan.wanted = count;
  };
  api.test = (_name, inner) => runBody(inner);
  api.end = () => {
    plan.wanted ??= 0;
  };
  await body(api);
  for (const outcome of await Promise.all(pending)) if (outcome?.error) throw outcome.error;
  const end = Date.now() + 10_000;
  while (plan.wanted !== null && plan.done < plan.wanted && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (plan.wanted !== null)
    assert.ok(plan.done >= plan.wanted, `${plan.done} of ${plan.wanted} planned assertions`);
}

exports.test = (name, options, body = options) => {
  const { skip } = typeof options === 'function' ? {} : options;
  test(name, { timeout: 60_000, ...(skip ? { skip: String(skip) } : {}) }, () => runBody(body));
};
