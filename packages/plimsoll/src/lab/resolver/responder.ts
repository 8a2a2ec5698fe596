import { createSocket } from 'node:dgram';
import { dnsReply } from './reply.js';

/**
 * A DNS server on loopback that answers every question for an address with 127.0.0.1, after a set delay. It runs
 * inside a private network namespace, where port 53 is free. It ends when its parent's channel does.
 */
const delayMs = Number(process.argv[2]);
const socket = createSocket('udp4');

socket.on('message', (message, from) => {
  // IPv4 only: a second address per name would change what a lookup costs.
  const reply = dnsReply(message, ['A']);
  setTimeout(() => socket.send(reply, from.port, from.address), delayMs);
});
socket.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
socket.bind(53, '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
