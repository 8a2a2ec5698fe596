import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { IN_DENO } from '../shared/deno.js';

/**
 * Blocks until the host's next message has arrived, which the host posts right after starting the thread.
 * `parentPort` has no listener, as it is left to the worker file; except in Deno, where it is no MessagePort.
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
