import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { IN_DENO } from './deno.js';
import type { Message, PostPorts, TransferList } from './messages.js';

/** More failures in a row than there can be messages: then the stack is full, and every attempt fails. */
const HOPELESS = 2 ** 16;

/** Where what was posted goes. */
export interface Receiver {
  accept(received: Message): void;
  /** In place of a message that cannot be read here: it is nested too deeply for the stack, or too large for the memory. */
  lose(reason: unknown): void;
}

/**
 * With a bell in Deno: a message for a port with a listener is out of sight of `receiveMessageOnPort` as soon as it is on its
 * way to that listener, and what is posted before it is needed must be there when it is. So nobody listens to the port itself.
 */
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

/** One end of the messages between a worker and the host. The event loop announces them; they can be read before that. */
export class Post {
  readonly #ports: PostPorts;
  readonly #receiver: Receiver;

  constructor(ports: PostPorts, receiver: Receiver) {
    this.#ports = { port: ports.port, bell: ports.bell };
    this.#receiver = receiver;
  }

  /** Calls `heard` after anything has been accepted that the event loop announced. */
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

  /** Accepts what has been posted without waiting for the event loop. True when anything was. */
  readAll(): boolean {
    const { port } = this.#ports;
    let isAny = false;
    for (let failures = 0; failures < HOPELESS; isAny = true) {
      let received: { message: Message } | undefined;
      try {
        received = receiveMessageOnPort(port);
      } catch (reason) {
        // It has taken the message off the queue all the same.
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
