import { Decoder, type Memory, memoryOf } from '../shared/codec/decode.js';
import { Makers } from '../shared/codec/makers.js';
import type { RawBuffer } from '../shared/codec/tags.js';
import type { Thrown } from '../shared/error-record.js';
import { hostGate, mustWake } from '../shared/gate.js';
import { CHUNKS_MADE, FLAGS, LENGTH, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import { chunkOf, readPosted, tableOf, wordOf } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { Post } from '../shared/post.js';
import { SmallMap } from '../shared/small-map.js';
import { slotAt } from '../shared/table.js';
import { exit } from './thread.js';

/** The exit code of a thread that its host has ended. */
const TERMINATED = 1;
/** Lost messages that are remembered: more than can be under way. */
const MOST_LOST = 2 ** 16;

export type Channel = ReturnType<typeof channelOf>;

/** What a worker shares with its host: the table, and a port. What a slot needs is posted before it, and read without waiting. */
export function channelOf(startup: message.Startup) {
  const table = tableOf(startup.layout, startup.table);
  const { words, layout } = table;
  const handlers = new Map(startup.handlers);
  const arenas = startup.arenas.map((buffer) => buffer && memoryOf(buffer));
  let chunksMade = 0;
  const payloads = new SmallMap<{ sequence: number; payload: message.Payload }>();
  /** What could not be read, by the number of the message. */
  const unreadable = new Map<number, message.Payload>();
  let lastMessage = 0;
  /** The host's gate is open, and no message has told it so. */
  let owesWake = false;
  const messages = new Post(startup, { accept, lose });
  const makers = new Makers(readAll);
  for (const [shape, names] of startup.shapes.entries()) makers.add(shape, names);
  const decoder = new Decoder(makers, borrow);

  /** Reads what has been posted without waiting for the event loop. */
  function readAll(): void {
    messages.readAll();
  }

  function arena(index: number): Memory {
    const count = Atomics.load(words, CHUNKS_MADE);
    if (count !== chunksMade) readAll();
    chunksMade = count;
    return arenas[index] as Memory;
  }

  /** The bytes of a large buffer inside a task. */
  function borrow(address: number, length: number): RawBuffer {
    const start = wordOf(address) * 4;
    return arena(chunkOf(address)).bytes.subarray(start, start + length) as RawBuffer;
  }

  function lose(reason: unknown): void {
    lastMessage = message.messageAfter(lastMessage);
    unreadable.set(lastMessage, { unreadable: { reason } });
    // Nobody asks any more for the payload of a task that was cancelled.
    if (unreadable.size > MOST_LOST) unreadable.delete(unreadable.keys().next().value as number);
    channel.onPayload?.();
  }

  function accept(received: message.Message): void {
    lastMessage = message.messageAfter(lastMessage);
    switch (received[0]) {
      case 'handler':
        handlers.set(received[1], received[2]);
        break;
      case 'forget':
        for (const id of received[1]) handlers.delete(id);
        break;
      case 'arena':
        arenas[received[1]] = received[2] && memoryOf(received[2]);
        break;
      case 'shape':
        makers.add(received[1], received[2]);
        break;
      case 'payload':
        payloads.set(received[1], { sequence: received[2], payload: received[3] });
        channel.onPayload?.();
        break;
      case 'return':
        giveBack(received[1], received[2]);
        break;
      case 'answer': {
        const payload = payloads.take(~received[1])?.payload ?? unreadable.get(received[3]);
        unreadable.delete(received[3]);
        channel.onAnswer?.(received[1], received[2], payload as message.Payload);
        break;
      }
      case 'abort':
        channel.onAbort?.(received[1], received[2], received[3]);
        break;
      case 'retire':
        channel.onRetire?.();
        break;
      case 'exit':
        exit(TERMINATED);
        break;
      default:
        throw new Error(`unexpected message ${String(received[0])} on the port of a worker`);
    }
  }

  /** Other workers are free for a task that waits here. */
  function giveBack(slot: number, sequence: number): void {
    const entry = payloads.take(slot);
    const payload = entry?.sequence === sequence ? entry.payload : undefined;
    try {
      post(['returned', sequence, payload], payload?.transfer);
    } catch {
      post(['returned', sequence, undefined]);
    }
  }

  function post(value: message.Message, transfer: message.TransferList = []): void {
    messages.send(value, transfer);
  }

  const numberOf = (slot: number): number => words[slotAt(layout, slot) + OFFSET] as number;
  const sequenceOf = (slot: number): number => words[slotAt(layout, slot) + SEQUENCE] as number;

  const channel = {
    table,
    /** Of the worker. */
    index: startup.index,
    /** Hears that a task shall end. Set once there is one that can. */
    onAbort: undefined as ((slot: number, sequence: number, reason: Thrown) => void) | undefined,
    /** Hears what a call of the host gave. Set by the first one. */
    onAnswer: undefined as ((call: number, failed: boolean, payload: message.Payload) => void) | undefined,
    hostTimeout: startup.hostTimeout,
    /** Hears that the worker shall retire. */
    onRetire: undefined as (() => void) | undefined,
    /** A task may wait for what has been read just now, or the host rely on it as a wake-up. */
    onPayload: undefined as (() => void) | undefined,
    readAll,
    post,
    sequenceOf,

    /** Calls `onMessage` after anything has arrived, such as a payload that a task waits for. */
    listen(onMessage: () => void): void {
      messages.listen(onMessage);
    },

    handler(id: number): message.Handler {
      if (!handlers.has(id)) readAll();
      return handlers.get(id) as message.Handler;
    },

    /** Reads a value from the table, for a slot that starts at word `base`. @throws why it cannot be read */
    decode(base: number): unknown {
      const flags = words[base + FLAGS] as number;
      const length = words[base + LENGTH] as number;
      const address = words[base + OFFSET] as number;
      const isInSlot = (flags & message.PLACE_MASK) === message.IN_SLOT;
      const memory = isInSlot ? table : arena(chunkOf(address));
      const at = isInSlot ? base + PAYLOAD : wordOf(address);
      return decoder.decode(memory, at, length, flags >> message.ENCODING_FLAGS);
    },

    /** Reads what was posted. @throws why it cannot be read */
    read(payload: message.Payload): unknown {
      if (payload.unreadable !== undefined) throw payload.unreadable.reason;
      return readPosted(decoder, payload);
    },

    hasPayload: (slot: number): boolean => payloads.has(slot) || unreadable.has(numberOf(slot)),

    /** Has anything been posted for tasks to come that its sender no longer has? */
    holdsTransfers(): boolean {
      readAll();
      return payloads.some(({ payload }) => payload.moved !== undefined);
    },

    /** The payload of a slot, or undefined when the host has not sent it. */
    payload(slot: number): message.Payload | undefined {
      const entry = payloads.take(slot);
      // A task that was cancelled may have left its payload behind.
      if (entry?.sequence === sequenceOf(slot)) return entry.payload;
      const lost = unreadable.get(numberOf(slot));
      unreadable.delete(numberOf(slot));
      return lost;
    },

    /** Wakes the host if it sleeps. To be called after anything was reported, and may be called before. */
    wakeHost(): void {
      if (!mustWake(words, hostGate) && !owesWake) return;
      owesWake = false;
      Atomics.notify(words, hostGate);
    },

    /** Posts a payload, which is the host's wake-up, too. If that throws, `wakeHost` makes up for it. */
    deliver(value: message.Message, transfer: message.TransferList): void {
      if (mustWake(words, hostGate)) owesWake = true;
      post(value, transfer);
      owesWake = false;
    },
  };
  return channel;
}
