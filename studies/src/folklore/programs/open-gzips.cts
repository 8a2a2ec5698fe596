// Ten gzip streams that have compressed something and stay open; then one more call that needs the pool, whose size is 1.
import fs = require('node:fs');
import zlib = require('node:zlib');

const STREAMS = 10;
let flushed = 0;
const streams = Array.from({ length: STREAMS }, () => zlib.createGzip());
for (const stream of streams) {
  stream.resume();
  stream.write('a chunk');
  stream.flush(() => {
    if (++flushed === STREAMS) fs.stat('.', () => tell('completes'));
  });
}
const deadline = setTimeout(() => tell('waits'), 5000);

function tell(stat: string): void {
  clearTimeout(deadline);
  process.stdout.write(JSON.stringify({ flushed, stat }));
  for (const stream of streams) stream.destroy();
}
