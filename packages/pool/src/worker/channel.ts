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

const TERMINATED = 1;
/** Unreadable messages to remember: more than can be in transit at once. */
const MOST_LOST = 2 ** 16;

export type Channel = ReturnType<typeof channelOf>;

/** The host posts a message before it publishes the slot that needs it, so the worker can read the message synchronously. */
export function channelOf(startup: message.Startup) {
  const table = tableOf(startup.layout, startup.table);
  const { words, layout } = table;
  const handlers = new Map(startup.handlers);
  const arenas = startup.arenas.map((buffer) => buffer && memoryOf(buffer));
  let chunksMade = 0;
  const payloads = new SmallMap<{ sequence: number; payload: message.Payload }>();
  const unreadable = new Map<number, message.Payload>();
  let lastMessage = 0;
  /** This thread has turned the host's gate, but has not woken the host. */
  let owesWake = false;
  const messages = new Post(startup, { accept, lose });
  const makers = new Makers(readAll);
  for (const [shape, names] of startup.shapes.entries()) makers.add(shape, names);
  const decoder = new Decoder(makers, borrow);

  function readAll(): void {
    messages.readAll();
  }

  function arena(index: number): Memory {
    const count = Atomics.load(words, CHUNKS_MADE);
    if (count !== chunksMade) readAll();
    chunksMade = count;
    return arenas[index] as Memory;
  }

  function borrow(address: number, length: number): RawBuffer {
    const start = wordOf(address) * 4;
    return arena(chunkOf(address)).bytes.subarray(start, start + length) as RawBuffer;
  }

  function lose(reason: unknown): void {
    lastMessage = message.messageAfter(lastMessage);
    unreadable.set(lastMessage, { unreadable: { reason } });
    // The payload of a cancelled task is never asked for.
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

  /** Posts a task's payload back to the host, which has a free worker for the task. */
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
    index: startup.index,
    onAbort: undefined as ((slot: number, sequence: number, reason: Thrown) => void) | undefined,
    onAnswer: undefined as ((call: number, failed: boolean, payload: message.Payload) => void) | undefined,
    hostTimeout: startup.hostTimeout,
    onRetire: undefined as (() => void) | undefined,
    /** A payload was read: a task may wait for it, or the host may have posted it as a wake-up. */
    onPayload: undefined as (() => void) | undefined,
    readAll,
    post,
    sequenceOf,

    listen(onMessage: () => void): void {
      messages.listen(onMessage);
    },

    handler(id: number): message.Handler {
      if (!handlers.has(id)) readAll();
      return handlers.get(id) as message.Handler;
    },

    decode(base: number): unknown {
      const flags = words[base + FLAGS] as number;
      const length = words[base + LENGTH] as number;
      const address = words[base + OFFSET] as number;
      const isInSlot = (flags & message.PLACE_MASK) === message.IN_SLOT;
      const memory = isInSlot ? table : arena(chunkOf(address));
      const at = isInSlot ? base + PAYLOAD : wordOf(address);
      return decoder.decode(memory, at, length, flags >> message.ENCODING_FLAGS);
    },

    read(payload: message.Payload): unknown {
      if (payload.unreadable !== undefined) throw payload.unreadable.reason;
      return readPosted(decoder, payload);
    },

    hasPayload: (slot: number): boolean => payloads.has(slot) || unreadable.has(numberOf(slot)),

    /** Do payloads that wait here hold transferred objects, which the host no longer has? */
    holdsTransfers(): boolean {
      readAll();
      return payloads.some(({ payload }) => payload.buffers !== undefined);
    },

    payload(slot: number): message.Payload | undefined {
      const entry = payloads.take(slot);
      // The entry may be a leftover of a cancelled task.
      if (entry?.sequence === sequenceOf(slot)) return entry.payload;
      const lost = unreadable.get(numberOf(slot));
      unreadable.delete(numberOf(slot));
      return lost;
    },

    /** Wakes the host if it sleeps. Must be called after every report; further calls do no harm. */
    wakeHost(): void {
      if (!mustWake(words, hostGate) && !owesWake) return;
      owesWake = false;
      Atomics.notify(words, hostGate);
    },

    /** Posts a payload; its message wakes the host. If posting throws, the next `wakeHost` does. */
    deliver(value: message.Message, transfer: message.TransferList): void {
      if (mustWake(words, hostGate)) owesWake = true;
      post(value, transfer);
      owesWake = false;
    },
  };
  return channel;
}
