import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { dnsReply } from '../lab/resolver/reply.js';

/** What a server far away takes to answer. */
export const LATENCY_MS = 100;

/** A web server and a DNS server on 127.0.0.1, in the process that is not watched. */
export async function startServers(): Promise<{ url: string; dnsPort: number; close(): Promise<void> }> {
  const image = png(64);
  const web = createServer((_, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'image/png' }).end(image), LATENCY_MS);
  });
  const dns = createSocket('udp4', (message, from) =>
    setTimeout(() => dns.send(dnsReply(message), from.port, from.address), LATENCY_MS),
  );
  web.listen(0, '127.0.0.1');
  dns.bind(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(dns, 'listening')]);
  return {
    url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/image.png`,
    dnsPort: dns.address().port,
    async close() {
      dns.close();
      web.closeAllConnections();
      await new Promise((resolve) => web.close(resolve));
    },
  };
}

/** A square picture, 8 bits of grey, a gradient. */
function png(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  // Every row begins with its filter: 0, none.
  const rows = Buffer.from(
    Array.from({ length: side }, (_, y) => [
      0,
      ...Array.from({ length: side }, (_, x) => (x * y) & 0xff),
    ]).flat(),
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
