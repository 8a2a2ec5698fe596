import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, decideBlocked } from '#plimsoll/classify/decide.js';
import type { Observation } from '#plimsoll/classify/messages.js';
import type { Probed } from '#plimsoll/classify/probe.js';

const CIRCUMSTANCES = { size: 4, windowMs: 200, deadlineMs: 5000 };

const saw = (given: Partial<Observation>): Probed => ({
  kind: 'observed',
  observation: {
    outcome: 'completed',
    error: null,
    ms: 10,
    whileBlocked: false,
    synchronous: false,
    busyMs: 1,
    callbacks: [],
    release: null,
    ...given,
  },
});
const held = { firstServed: true, overtaken: false };

describe('verdicts that the data cannot carry are not given', () => {
  test('an operation that only takes long is not said to wait for the pool', () => {
    const blocked = saw({ ms: 500, release: { firstServed: false, overtaken: true } });
    assert.equal(decideBlocked(blocked, CIRCUMSTANCES), null);
    assert.equal(decide(blocked, saw({ ms: 400 }), CIRCUMSTANCES).verdict, 'unclear');
  });

  test('standing still for very much longer than usual is evidence, but not for the slow class', () => {
    const blocked = saw({ ms: 210, release: { firstServed: false, overtaken: true } });
    const decision = decide(blocked, saw({ ms: 2 }), CIRCUMSTANCES);
    assert.equal(decision.verdict, 'pool');
    assert.equal(decision.slowIo, null);
  });

  test('a failure while blocked that does not happen otherwise is unclear', () => {
    const error = { name: 'TimeoutError', message: 'gave up' };
    const blocked = saw({ outcome: 'failed', error, whileBlocked: true });
    const decision = decide(blocked, saw({}), CIRCUMSTANCES);
    assert.equal(decision.verdict, 'unclear');
    assert.deepEqual(decision.grounds, {
      id: 'classify.failed-while-blocked',
      error: 'TimeoutError: gave up',
      usualMs: 10,
    });
  });
});

test('what calls back after the pool makes it both', () => {
  const release = { firstServed: true, overtaken: true };
  const decision = decideBlocked(
    saw({ release, callbacks: ['GETADDRINFOREQWRAP', 'TCPCONNECTWRAP'] }),
    CIRCUMSTANCES,
  );
  assert.deepEqual([decision?.verdict, decision?.slowIo], ['both', true]);
  assert.deepEqual(decision?.waitsFor, ['pool', 'socket']);
});

test('completing while blocked is the kernel; before the loop turned, the main thread', () => {
  assert.equal(decideBlocked(saw({ whileBlocked: true }), CIRCUMSTANCES)?.verdict, 'kernel');
  assert.equal(
    decideBlocked(saw({ whileBlocked: true, synchronous: true }), CIRCUMSTANCES)?.verdict,
    'main thread',
  );
  assert.equal(decideBlocked(saw({ release: held }), CIRCUMSTANCES)?.verdict, 'pool');
});

test('what never completes, and what ends its process', () => {
  const pending = saw({ outcome: 'pending', ms: null, release: held });
  assert.equal(decide(pending, pending, CIRCUMSTANCES).verdict, 'timeout');
  assert.equal(decideBlocked({ kind: 'stuck' }, CIRCUMSTANCES)?.verdict, 'timeout');
  assert.equal(decideBlocked({ kind: 'exited', how: 'exit code 3' }, CIRCUMSTANCES)?.verdict, 'failed');
});
