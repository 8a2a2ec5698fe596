import type { CallsLine } from './lines.cjs';

import type CallRing = require('./ring.cjs');

/** Reads what is new in a ring. */
function reader(ring: CallRing, thread: number): () => CallsLine | null {
  let told = 0;
  return () => {
    const bytes = ring.take();
    const lost = ring.lost();
    if (bytes === null && lost === told) return null;
    told = lost;
    return { type: 'calls', thread, records: bytes?.toString('base64') ?? '', lost };
  };
}

export = reader;
