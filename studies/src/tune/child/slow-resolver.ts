// A name server on loopback that answers each question for an IPv4 address with 127.0.0.1 after a delay, and each other question
// with nothing. It ends when its parent's channel does.
import { createSocket } from 'node:dgram';

const [address = '127.0.0.1', delay = '0'] = process.argv.slice(2);
const TYPE_A = 1;
const HEADER_BYTES = 12;

/** RFC 1035, 4.1: the question once more, and for an A record one answer that points to its name. */
function reply(query: Buffer): Buffer {
  let end = HEADER_BYTES;
  while (end < query.length && query[end] !== 0) end += (query[end] as number) + 1;
  end += 1;
  const isA = query.readUInt16BE(end) === TYPE_A;
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isA ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const answer = Buffer.from('c00c00010001000000000004' + '7f000001', 'hex');
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...(isA ? [answer] : [])]);
}

const socket = createSocket('udp4');
socket.on('message', (query, { port, address: client }) => {
  const message = reply(query);
  setTimeout(() => socket.send(message, port, client), Number(delay));
});
socket.bind(53, address, () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
