import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { chunkOf, wordOf } from '../shared/arena.js';
import { type Memory, memoryOf } from '../shared/codec/decode.js';
import { Makers } from '../shared/codec/makers.js';
import { hostGate, mustWake } from '../shared/gate.js';
import * as message from '../shared/messages.js';

type Handler = readonly [filename: string, name: string];

/**
 * The worker's end of its port. Remembers what arrives until the loop asks for it. What the loop needs at once is
 * read synchronously: the host posts it before it publishes the slot that needs it.
 */
export class Channel {
  readonly handlers = new Map<number, Handler>();
  readonly arenas: Memory[] = [];
  readonly makers = new Makers(() => this.readAll());
  private readonly payloads = new Map<number, { sequence: number; payload: message.Payload }>();
  private readonly port: MessagePort;
  private readonly words: Int32Array;
  /** The host's gate is open, and no message has told it so. */
  private owesWake = false;

  constructor(startup: message.Startup) {
    this.port = startup.port;
    this.words = new Int32Array(startup.table);
    for (const [id, filename, name] of startup.handlers) this.handlers.set(id, [filename, name]);
    for (const buffer of startup.arenas) this.arenas.push(memoryOf(buffer));
    for (const [shape, names] of startup.shapes.entries()) this.makers.add(shape, names);
  }

  /** Calls `onMessage` after anything has arrived, such as a payload that a task waits for. */
  listen(onMessage: () => void): void {
    this.port.on('message', (received: message.Message) => {
      this.accept(received);
      onMessage();
    });
  }

  handler(id: number): Handler {
    if (!this.handlers.has(id)) this.readAll();
    return this.handlers.get(id) as Handler;
  }

  arena(index: number): Memory {
    if (this.arenas[index] === undefined) this.readAll();
    return this.arenas[index] as Memory;
  }

  /** The bytes of a large buffer inside a task. */
  borrow(address: number, length: number): Uint8Array {
    const start = wordOf(address) * 4;
    return this.arena(chunkOf(address)).bytes.subarray(start, start + length);
  }

  hasPayload(slot: number): boolean {
    return this.payloads.has(slot);
  }

  /** The payload of a slot, or undefined when the host has not sent it. */
  payload(slot: number, sequence: number): message.Payload | undefined {
    const found = this.payloads.get(slot);
    if (found === undefined) return undefined;
    this.payloads.delete(slot);
    // A task that was cancelled may have left its payload behind.
    return found.sequence === sequence ? found.payload : undefined;
  }

  /** Reads what has been posted without waiting for the event loop. */
  readAll(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.port) as { message: message.Message } | undefined;
      if (received === undefined) return;
      this.accept(received.message);
    }
  }

  /** Wakes the host if it sleeps. To be called after anything was reported, and may be called before. */
  wakeHost(): void {
    if (!mustWake(this.words, hostGate) && !this.owesWake) return;
    this.owesWake = false;
    Atomics.notify(this.words, hostGate);
  }

  /** Posts a payload, which is the host's wake-up, too. If that throws, `wakeHost` makes up for it. */
  deliver(value: message.Message, transfer: message.TransferList): void {
    if (mustWake(this.words, hostGate)) this.owesWake = true;
    this.post(value, transfer);
    this.owesWake = false;
  }

  post(value: message.Message, transfer: message.TransferList = []): void {
    this.port.postMessage(value, transfer as never);
  }

  private accept(received: message.Message): void {
    switch (received[0]) {
      case message.HANDLER:
        this.handlers.set(received[1], [received[2], received[3]]);
        break;
      case message.ARENA:
        this.arenas[received[1]] = memoryOf(received[2]);
        break;
      case message.SHAPE:
        this.makers.add(received[1], received[2]);
        break;
      case message.PAYLOAD:
        this.payloads.set(received[1], { sequence: received[2], payload: received[3] });
        break;
      default:
        throw new Error(`unexpected message ${String(received[0])} on the port of a worker`);
    }
  }
}
