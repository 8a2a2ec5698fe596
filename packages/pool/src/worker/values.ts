import { Decoder, memoryOf } from '../shared/codec/decode.js';
import { madeBuffer } from '../shared/codec/young.js';
import { FLAGS, LENGTH, OFFSET, PAYLOAD } from '../shared/layout.js';
import { chunkOf, wordOf } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import type { Channel } from './channel.js';

/** Reads what the host has sent. @throws why it cannot be read */
export function valuesOf(channel: Channel) {
  const { table } = channel;
  const { words } = table;
  const decoder = new Decoder(channel.makers, (address, length) => channel.borrow(address, length));
  return {
    /** From the table, for a slot that starts at word `base`. */
    decode(base: number): unknown {
      const flags = words[base + FLAGS] as number;
      const length = words[base + LENGTH] as number;
      const address = words[base + OFFSET] as number;
      const isInSlot = (flags & message.PLACE_MASK) === message.IN_SLOT;
      const memory = isInSlot ? table : channel.arena(chunkOf(address));
      const at = isInSlot ? base + PAYLOAD : wordOf(address);
      return decoder.decode(memory, at, length, flags >> message.ENCODING_FLAGS);
    },

    /** What was posted. */
    read(payload: message.Payload): unknown {
      if (payload.unreadable !== undefined) throw payload.unreadable.reason;
      if (payload.words === undefined) {
        madeBuffer(payload.moved ?? 0);
        return payload.value;
      }
      const memory = memoryOf(payload.words.buffer as ArrayBuffer);
      return decoder.decode(memory, 0, payload.words.length, payload.encodingFlags ?? 0, payload.externals);
    },
  };
}
