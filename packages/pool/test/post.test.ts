import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startThread } from '../dist/host/start-thread.js';
import type { Message } from '../dist/shared/messages.js';
import { newPost, Post, portsOf, type Receiver } from '../dist/shared/post.js';
import { bareStartup, until } from './support.js';

const into = (received: Message[]): Receiver => ({
  accept: (message) => received.push(message),
  lose: (reason) => assert.fail(String(reason)),
});
const letter = (slot: number): Message => ['payload', slot, 0, { value: 'x' }];

for (const withBell of [false, true]) {
  const which = withBell ? 'with a bell' : 'without a bell';

  test(`a post ${which}: what is sent is there at once, and announced later`, async (t) => {
    const [near, far] = newPost(withBell);
    assert.equal(portsOf(near).length, withBell ? 2 : 1);
    const received: Message[] = [];
    let heard = 0;
    const sender = new Post(near, into([]));
    const receiver = new Post(far, into(received));
    t.after(() => sender.close());
    receiver.listen(() => heard++);
    sender.send(letter(1));
    sender.send(letter(2));
    receiver.readAll();
    assert.deepEqual(received, [letter(1), letter(2)]);
    assert.equal(heard, 0);
    sender.send(letter(3));
    await until(() => received.length > 2 && heard > 0);
    assert.deepEqual(received, [letter(1), letter(2), letter(3)]);
  });

  test(`a worker answers ${which}`, async (t) => {
    const [near, far] = newPost(withBell);
    const thread = startThread({});
    t.after(() => thread.terminate());
    thread.postMessage({ ...bareStartup().startup, ...far }, portsOf(far));
    const received: Message[] = [];
    const post = new Post(near, into(received));
    t.after(() => post.close());
    let heard = 0;
    post.listen(() => heard++);
    await until(() => heard > 0);
    assert.deepEqual(received, [['ready', 0]]);
  });
}
