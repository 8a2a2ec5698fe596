import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { IN_DENO } from './deno.js';
import type { Message, PostPorts, TransferList } from './messages.js';

/** More failures in a row than messages can wait: the stack is full, so every further attempt would fail, too. */
const HOPELESS = 2 ** 16;

export interface Receiver {
  accept(received: Message): void;
  /** Called for a message that cannot be read: it is nested too deeply for the stack, or too large for the memory. */
  lose(reason: unknown): void;
}

/** In Deno, `receiveMessageOnPort` misses messages of a port with a listener. So a second port, the bell, has the listener. */
export function newPost(withBell = IN_DENO): [PostPorts, PostPorts] {
  const { port1, port2 } = new MessageChannel();
  const bells = withBell ? new MessageChannel() : undefined;
  return [
    { port: port1, bell: bells?.port1 },
    { port: port2, bell: bells?.port2 },
  ];
}

export const portsOf = ({ port, bell }: PostPorts): MessagePort[] =>
  bell === undefined ? [port] : [port, bell];

/** One end of the messages between worker and host. */
export class Post {
  readonly #ports: PostPorts;
  readonly #receiver: Receiver;

  constructor(ports: PostPorts, receiver: Receiver) {
    this.#ports = { port: ports.port, bell: ports.bell };
    this.#receiver = receiver;
  }

  listen(heard: () => void): void {
    const { port, bell } = this.#ports;
    if (bell === undefined) {
      port.on('message', (message: Message) => {
        this.#receiver.accept(message);
        heard();
      });
      port.on('messageerror', (reason: unknown) => {
        this.#receiver.lose(reason);
        heard();
      });
    } else {
      bell.on('message', () => {
        this.readAll();
        heard();
      });
    }
  }

  /** Accepts all waiting messages synchronously. Returns true if there were any. */
  readAll(): boolean {
    const { port } = this.#ports;
    let isAny = false;
    for (let failures = 0; failures < HOPELESS; isAny = true) {
      let received: { message: Message } | undefined;
      try {
        received = receiveMessageOnPort(port);
      } catch (reason) {
        // The unreadable message has left the queue.
        this.#receiver.lose(reason);
        failures++;
        continue;
      }
      if (received === undefined) return isAny;
      this.#receiver.accept(received.message);
    }
    return isAny;
  }

  send(message: Message, transfer: TransferList = []): void {
    this.#ports.port.postMessage(message, transfer as never);
    this.#ports.bell?.postMessage(undefined);
  }

  unref(): void {
    for (const port of portsOf(this.#ports)) port.unref();
  }

  close(): void {
    for (const port of portsOf(this.#ports)) port.close();
  }
}
