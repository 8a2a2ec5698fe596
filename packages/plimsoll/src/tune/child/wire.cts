import type { News, Sample } from './messages.cjs';

// From the agent to plimsoll: frames of a length and a kind, four bytes each, and JSON or the doubles of a sample. Both ends
// are on one machine, so doubles have its byte order.

const JSON_FRAME = 0;
const SAMPLE_FRAME = 1;
const HEAD_BYTES = 8;
/** Doubles before the starts of open requests: at, CPU, turn, busy, lost, and how many are open. */
const FIXED = 6;

const frameOfNews = (news: News): Buffer => frame(JSON_FRAME, Buffer.from(JSON.stringify(news)));

function frameOfSample({ at, cpuMs, turn, busy, lost, open, records }: Sample): Buffer {
  const values = new Float64Array(FIXED + open.length + records.length);
  values.set([at, cpuMs, turn, busy, lost, open.length]);
  values.set(open, FIXED);
  values.set(records, FIXED + open.length);
  return frame(SAMPLE_FRAME, Buffer.from(values.buffer));
}

function frame(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt32LE(kind, 4);
  return Buffer.concat([head, body]);
}

class FrameReader {
  #rest = Buffer.alloc(0);
  readonly #onNews: (news: News) => void;
  readonly #onSample: (sample: Sample) => void;

  constructor(onNews: (news: News) => void, onSample: (sample: Sample) => void) {
    this.#onNews = onNews;
    this.#onSample = onSample;
  }

  push(piece: Buffer): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (bytes.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + bytes.readUInt32LE(0);
      if (bytes.length < end) break;
      const body = bytes.subarray(HEAD_BYTES, end);
      if (bytes.readUInt32LE(4) === JSON_FRAME) this.#onNews(JSON.parse(body.toString()) as News);
      else this.#onSample(sampleIn(body));
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
  }
}

function sampleIn(body: Buffer): Sample {
  // A copy of its own: doubles begin at multiples of eight only.
  const values = new Float64Array(new Uint8Array(body).buffer);
  const [at = 0, cpuMs = 0, turn = 0, busy = Number.NaN, lost = 0, open = 0] = values;
  const records = values.slice(FIXED + open);
  return { at, cpuMs, turn, busy, lost, open: [...values.subarray(FIXED, FIXED + open)], records };
}

export = { frameOfNews, frameOfSample, FrameReader };
