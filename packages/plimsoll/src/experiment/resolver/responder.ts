import { createSocket } from 'node:dgram';
import { decode, encode, type Packet } from 'dns-packet';

/**
 * A DNS server on loopback that answers every question for an address with 127.0.0.1, after a set delay. It runs
 * inside a private network namespace, where port 53 is free. It ends when its parent's channel does.
 */
const delayMs = Number(process.argv[2]);
const socket = createSocket('udp4');

socket.on('message', (message, from) => {
  const query = decode(message);
  const reply: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags: 0x0180,
    questions: query.questions ?? [],
    answers: (query.questions ?? [])
      .filter(({ type }) => type === 'A')
      .map(({ name }) => ({ type: 'A' as const, name, ttl: 0, data: '127.0.0.1' })),
  };
  setTimeout(() => socket.send(encode(reply), from.port, from.address), delayMs);
});
socket.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
socket.bind(53, '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
