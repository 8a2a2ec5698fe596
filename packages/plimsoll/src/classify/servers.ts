import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { dnsReply } from '../lab/resolver/reply.js';

export interface LocalServers {
  readonly http: number;
  readonly https: number;
  readonly tcp: number;
  /** Sends every datagram back. */
  readonly udp: number;
  readonly dns: number;
  readonly pipe: string;
}

const HOST = '127.0.0.1';
const KEY = Buffer.from('plimsoll classify').toString('hex');

/** TLS with a key that both sides know: no certificate to keep from expiring. */
export const preSharedKey = {
  server: { ciphers: 'PSK', maxVersion: 'TLSv1.2', pskCallback: () => Buffer.from(KEY, 'hex') },
  client: {
    ciphers: 'PSK',
    maxVersion: 'TLSv1.2',
    pskCallback: () => ({ psk: Buffer.from(KEY, 'hex'), identity: 'plimsoll' }),
    checkServerIdentity: () => undefined,
  },
} as const;

/** What a server far away takes to answer. */
export const LATENCY_MS = 100;

/** In this process, whose pool nobody blocks. The web and the DNS server answer after `latencyMs`, as if they were far away. */
export async function startServers(
  directory: string,
  latencyMs: number,
): Promise<{ servers: LocalServers; close(): Promise<void> }> {
  const later = (answer: () => void): unknown => (latencyMs === 0 ? answer() : setTimeout(answer, latencyMs));
  const http = createHttpServer((_, response) => later(() => response.end('ok')));
  const https = createHttpsServer(preSharedKey.server, (_, response) => response.end('ok'));
  const tcp = createServer((socket) => socket.on('error', () => {}).end('ok'));
  const pipe = createServer((socket) => socket.on('error', () => {}).end('ok'));
  const pipePath = join(directory, 'pipe');
  const udp = createSocket('udp4', (message, from) => udp.send(message, from.port, from.address));
  const dns = createSocket('udp4', (message, from) =>
    later(() => dns.send(dnsReply(message), from.port, from.address)),
  );
  const listening = [http, https, tcp].map((server) => listen(server));
  pipe.listen(pipePath);
  await Promise.all([...listening, once(pipe, 'listening'), bind(udp), bind(dns)]);
  return {
    servers: {
      ...{ http: portOf(http), https: portOf(https), tcp: portOf(tcp), pipe: pipePath },
      ...{ udp: udp.address().port, dns: dns.address().port },
    },
    close: () => closeAll([http, https, tcp, pipe], [udp, dns]),
  };
}

const listen = (server: Server): Promise<unknown> => once(server.listen(0, HOST), 'listening');

const bind = (socket: Socket): Promise<unknown> => once(socket.bind(0, HOST), 'listening');

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function closeAll(servers: readonly Server[], sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.close();
  for (const server of servers) (server as Partial<HttpServer>).closeAllConnections?.();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
