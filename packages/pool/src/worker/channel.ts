import { type Memory, memoryOf } from '../shared/codec/decode.js';
import { Makers } from '../shared/codec/makers.js';
import type { Thrown } from '../shared/error-record.js';
import { hostGate, mustWake } from '../shared/gate.js';
import { OFFSET, SEQUENCE } from '../shared/layout.js';
import { chunkOf, type SharedTable, tableOf, wordOf } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { Post } from '../shared/post.js';
import { slotAt } from '../shared/table.js';

/** The exit code of a thread that its host has ended. */
const TERMINATED = 1;
/** Lost messages that are remembered: more than can be under way. */
const MOST_LOST = 2 ** 16;

/** What a worker shares with its host: the table, and a port. What a slot needs is posted before it, and read without waiting. */
export class Channel {
  readonly table: SharedTable;
  /** Of the worker. */
  readonly index: number;
  readonly makers = new Makers(() => this.readAll());
  /** Hears that a task shall end. Set once there is one that can. */
  onAbort: ((slot: number, sequence: number, reason: Thrown) => void) | undefined;
  /** Hears that the worker shall retire. */
  onRetire: (() => void) | undefined;
  readonly #handlers = new Map<number, message.Handler>();
  readonly #arenas: Memory[] = [];
  readonly #payloads = new Map<number, { sequence: number; payload: message.Payload }>();
  /** What could not be read, by the number of the message. */
  readonly #unreadable = new Map<number, message.Payload>();
  #lastMessage = 0;
  readonly #messages: Post;
  /** The host's gate is open, and no message has told it so. */
  #owesWake = false;

  constructor(startup: message.Startup) {
    this.table = tableOf(startup.layout, startup.table);
    this.index = startup.index;
    this.#messages = new Post(startup, {
      accept: (received) => this.#accept(received),
      lose: (reason) => this.#lose(reason),
    });
    for (const handler of startup.handlers) this.#handlers.set(handler[0], handler);
    for (const buffer of startup.arenas) this.#arenas.push(memoryOf(buffer));
    for (const [shape, names] of startup.shapes.entries()) this.makers.add(shape, names);
  }

  /** Calls `onMessage` after anything has arrived, such as a payload that a task waits for. */
  listen(onMessage: () => void): void {
    this.#messages.listen(onMessage);
  }

  handler(id: number): message.Handler {
    if (!this.#handlers.has(id)) this.readAll();
    return this.#handlers.get(id) as message.Handler;
  }

  arena(index: number): Memory {
    if (this.#arenas[index] === undefined) this.readAll();
    return this.#arenas[index] as Memory;
  }

  /** The bytes of a large buffer inside a task. */
  borrow(address: number, length: number): Uint8Array {
    const start = wordOf(address) * 4;
    return this.arena(chunkOf(address)).bytes.subarray(start, start + length);
  }

  hasPayload(slot: number): boolean {
    return this.#payloads.has(slot) || this.#unreadable.has(this.#wordOf(slot, OFFSET));
  }

  /** The payload of a slot, or undefined when the host has not sent it. */
  payload(slot: number): message.Payload | undefined {
    const found = this.#payloads.get(slot);
    this.#payloads.delete(slot);
    // A task that was cancelled may have left its payload behind.
    if (found?.sequence === this.sequenceOf(slot)) return found.payload;
    const number = this.#wordOf(slot, OFFSET);
    const lost = this.#unreadable.get(number);
    this.#unreadable.delete(number);
    return lost;
  }

  sequenceOf(slot: number): number {
    return this.#wordOf(slot, SEQUENCE);
  }

  #wordOf(slot: number, word: number): number {
    return this.table.words[slotAt(this.table.layout, slot) + word] as number;
  }

  /** Reads what has been posted without waiting for the event loop. */
  readAll(): void {
    this.#messages.readAll();
  }

  #lose(reason: unknown): void {
    this.#lastMessage = message.messageAfter(this.#lastMessage);
    this.#unreadable.set(this.#lastMessage, { unreadable: { reason } });
    // Nobody asks any more for the payload of a task that was cancelled.
    if (this.#unreadable.size > MOST_LOST)
      this.#unreadable.delete(this.#unreadable.keys().next().value as number);
  }

  /** Wakes the host if it sleeps. To be called after anything was reported, and may be called before. */
  wakeHost(): void {
    const { words } = this.table;
    if (!mustWake(words, hostGate) && !this.#owesWake) return;
    this.#owesWake = false;
    Atomics.notify(words, hostGate);
  }

  /** Posts a payload, which is the host's wake-up, too. If that throws, `wakeHost` makes up for it. */
  deliver(value: message.Message, transfer: message.TransferList): void {
    if (mustWake(this.table.words, hostGate)) this.#owesWake = true;
    this.post(value, transfer);
    this.#owesWake = false;
  }

  post(value: message.Message, transfer: message.TransferList = []): void {
    this.#messages.send(value, transfer);
  }

  #accept(received: message.Message): void {
    this.#lastMessage = message.messageAfter(this.#lastMessage);
    switch (received[0]) {
      case message.HANDLER:
        this.#handlers.set(received[1], received.slice(1) as unknown as message.Handler);
        break;
      case message.ARENA:
        this.#arenas[received[1]] = memoryOf(received[2]);
        break;
      case message.SHAPE:
        this.makers.add(received[1], received[2]);
        break;
      case message.PAYLOAD:
        this.#payloads.set(received[1], { sequence: received[2], payload: received[3] });
        break;
      case message.ABORT:
        this.onAbort?.(received[1], received[2], received[3]);
        break;
      case message.RETIRE:
        this.onRetire?.();
        break;
      case message.EXIT:
        process.exit(TERMINATED);
        break;
      default:
        throw new Error(`unexpected message ${String(received[0])} on the port of a worker`);
    }
  }
}
