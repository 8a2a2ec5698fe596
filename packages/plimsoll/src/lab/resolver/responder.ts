// A DNS server on loopback that answers every question for an address with 127.0.0.1, after a set delay. It runs inside a private
// network namespace, where port 53 is free, and ends when its parent's channel does.
import { createSocket } from 'node:dgram';
import { dnsReply } from './reply.js';

const delayMs = Number(process.argv[2]);
const socket = createSocket('udp4');

socket.on('message', (message, from) => {
  // IPv4 only: a second address per name would change the cost of a lookup.
  setTimeout(() => socket.send(dnsReply(message, ['A']), from.port, from.address), delayMs);
});
socket.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
socket.bind(53, '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
