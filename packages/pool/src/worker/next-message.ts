import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { IN_DENO } from '../shared/deno.js';

/**
 * Takes the next message of those that the host posts as soon as it has started the thread: it is there by now, unless the host was
 * held up right then. Waits for it without listening, because the port is left to the worker file. Not in Deno, where
 * `parentPort` is no MessagePort.
 */
export function takeMessage<Message>(take: (message: Message) => void): void {
  if (IN_DENO) {
    parentPort?.once('message', take);
    return;
  }
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const received = receiveMessageOnPort(parentPort as never) as { message: Message } | undefined;
    if (received !== undefined) {
      take(received.message);
      return;
    }
    Atomics.wait(nobody, 0, 0, 1);
  }
}
