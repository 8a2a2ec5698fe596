import { MARK } from './tasks.mjs';

const MARK_CODE = MARK.charCodeAt(0);
const NEWLINE = 10;

/** Takes what tasks print out of the process's own output, and counts it. */
export class Printed {
  /** By tasks that have ended well; their output must have come before. */
  expected = 0;
  received = 0;
  #restore = [];

  constructor() {
    for (const stream of [process.stdout, process.stderr]) {
      const { write } = stream;
      stream.write = (chunk, encoding, done) => {
        const marks = marksIn(chunk);
        if (marks === 0) return write.call(stream, chunk, encoding, done);
        this.received += marks;
        const callback = typeof encoding === 'function' ? encoding : done;
        if (callback) process.nextTick(callback);
        return true;
      };
      this.#restore.push(() => {
        stream.write = write;
      });
    }
  }

  stop() {
    for (const restore of this.#restore) restore();
  }
}

/** How many, if there is nothing else; otherwise none. */
function marksIn(chunk) {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  let marks = 0;
  for (const byte of bytes) {
    if (byte === MARK_CODE) marks++;
    else if (byte !== NEWLINE) return 0;
  }
  return marks;
}
