import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

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

/** TLS with a shared key, since a certificate would expire. */
export const preSharedKey = {
  server: { ciphers: 'PSK', maxVersion: 'TLSv1.2', pskCallback: () => Buffer.from(KEY, 'hex') },
  client: {
    ciphers: 'PSK',
    maxVersion: 'TLSv1.2',
    pskCallback: () => ({ psk: Buffer.from(KEY, 'hex'), identity: 'plimsoll' }),
    checkServerIdentity: () => undefined,
  },
} as const;

/** How long a distant server takes to answer. */
export const LATENCY_MS = 100;

/** Servers in this process, whose pool nobody blocks. HTTP and DNS answer after `latencyMs`, as if they were far away. */
export async function startServers(
  directory: string,
  latencyMs: number,
): Promise<{ servers: LocalServers; close(): Promise<void> }> {
  const { dnsReply } = await import('../lab/resolver/reply.js'); // Every probe loads this module.
  const later = (answer: () => void): unknown => (latencyMs === 0 ? answer() : setTimeout(answer, latencyMs));
  const http = createHttpServer((_, response) => later(() => response.end('ok')));
  const https = createHttpsServer(preSharedKey.server, (_, response) => response.end('ok'));
  const answer = (socket: Socket): unknown => socket.on('error', () => {}).end('ok');
  const [tcp, pipe] = [createServer(answer), createServer(answer)];
  const udp = createSocket('udp4', (message, from) => udp.send(message, from.port, from.address));
  const dns = createSocket('udp4', (message, from) =>
    later(() => dns.send(dnsReply(message), from.port, from.address)),
  );
  const pipePath = join(directory, 'pipe');
  pipe.listen(pipePath);
  for (const server of [http, https, tcp]) server.listen(0, HOST);
  for (const socket of [udp, dns]) socket.bind(0, HOST);
  await Promise.all([http, https, tcp, pipe, udp, dns].map((server) => once(server, 'listening')));
  const port = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;
  return {
    servers: {
      ...{ http: port(http), https: port(https), tcp: port(tcp), pipe: pipePath },
      ...{ udp: port(udp), dns: port(dns) },
    },
    async close() {
      udp.close();
      dns.close();
      for (const server of [http, https]) server.closeAllConnections();
      await Promise.all([http, https, tcp, pipe].map((server) => once(server.close(), 'close')));
    },
  };
}
