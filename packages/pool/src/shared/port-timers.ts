import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Keeps the process alive while it is referenced, which it is not at first. */
export interface Hold {
  ref(): unknown;
  unref(): unknown;
  close(): unknown;
}

/** Of no timer. */
export function holdByPort(): Hold {
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  port1.unref();
  return port1;
}

const waiting: (() => void)[] = [];
let sender: MessagePort | undefined;
let receiver: MessagePort | undefined;

/** In the next turn of the event loop, by way of a message to oneself. Keeps the process alive until then. */
export function setImmediateByPort(callback: () => void): void {
  if (receiver === undefined) open();
  waiting.push(callback);
  receiver?.ref();
  sender?.postMessage(undefined);
}

function open(): void {
  ({ port1: sender, port2: receiver } = new MessageChannel());
  receiver.on('message', () => {
    if (waiting.length === 1) receiver?.unref();
    waiting.shift()?.();
  });
}
