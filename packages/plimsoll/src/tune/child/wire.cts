import type { News, Order } from './messages.cjs';

// Between plimsoll and an agent: frames of two lengths, four bytes each, JSON, and the records of a sample. Both ends are on
// one machine, so doubles have its byte order.

const HEAD_BYTES = 8;
const NO_RECORDS = new Float64Array();

function frame(message: News | Order, records: Float64Array = NO_RECORDS): Buffer {
  const [head, json] = [Buffer.alloc(HEAD_BYTES), Buffer.from(JSON.stringify(message))];
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(records.byteLength, 4);
  return Buffer.concat([head, json, Buffer.from(records.buffer)]);
}

class FrameReader<Message extends News | Order> {
  #rest = Buffer.alloc(0);
  readonly #onFrame: (message: Message, records: Float64Array) => void;

  constructor(onFrame: (message: Message, records: Float64Array) => void) {
    this.#onFrame = onFrame;
  }

  push(piece: Buffer): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (bytes.length >= HEAD_BYTES) {
      const middle = HEAD_BYTES + bytes.readUInt32LE(0);
      const end = middle + bytes.readUInt32LE(4);
      if (bytes.length < end) break;
      // A copy: doubles begin at multiples of eight only.
      const records = new Float64Array(new Uint8Array(bytes.subarray(middle, end)).buffer);
      this.#onFrame(JSON.parse(bytes.toString('utf8', HEAD_BYTES, middle)) as Message, records);
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
  }
}

export = { frame, FrameReader };
