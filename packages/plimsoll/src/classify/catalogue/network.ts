import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { preSharedKey } from '../servers.js';
import type { Entry, EntryContext } from './entry.js';

const KERNEL = 'The kernel does the waiting: the event loop watches the socket and needs no thread.';
const BY_NAME =
  'The name is looked up first, with getaddrinfo(3) on a pool thread; the rest goes over a socket.';
const ALTERNATIVE =
  'connecting by IP, keeping connections alive, or a `lookup` option that caches or resolves with c-ares';

const byNameAndIp = (
  name: string,
  call: (host: string) => string,
  run: (host: string, context: EntryContext) => unknown,
  whyByIp: NonNullable<Entry['why']> = { kernel: KERNEL },
  alternative = ALTERNATIVE,
): Entry[] => [
  {
    ...{ name: `${name}.name`, call: call('name'), run: (context) => run('localhost', context) },
    ...{ why: { both: BY_NAME, pool: BY_NAME }, alternative },
  },
  { name: `${name}.ip`, call: call('IP'), run: (context) => run('127.0.0.1', context), why: whyByIp },
];

const url = (call: string) => (host: string) => `${call}(url with ${host === 'IP' ? 'an' : 'a'} ${host})`;

const received = (request: http.ClientRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => response.resume().once('end', resolve));
  });

const drained = (socket: net.Socket): Promise<unknown> => once(socket.resume(), 'close');

const httpGet = (host: string, { servers }: EntryContext) =>
  received(http.get({ host, port: servers.http, agent: false }));

const httpsGet = (host: string, { servers }: EntryContext) =>
  received(https.get({ host, port: servers.https, agent: false, ...preSharedKey.client }));

const fetchFrom = async (host: string, { servers }: EntryContext) =>
  (await fetch(`http://${host}:${servers.http}/`)).text();

const connect = (host: string, { servers }: EntryContext) =>
  drained(net.connect({ host, port: servers.tcp }));

async function handshake(host: string, { servers }: EntryContext): Promise<void> {
  const socket = tls.connect({ host, port: servers.https, ...preSharedKey.client });
  await once(socket, 'secureConnect');
  socket.destroy();
}

async function listen(host: string): Promise<void> {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  server.close();
}

async function datagram(host: string, { servers }: EntryContext): Promise<void> {
  const socket = dgram.createSocket('udp4');
  socket.send('plimsoll', servers.udp, host);
  await once(socket, 'message');
  socket.close();
}

export const networkEntries: readonly Entry[] = [
  ...byNameAndIp('http.get', url('http.get'), httpGet),
  ...byNameAndIp('https.get', url('https.get'), httpsGet),
  ...byNameAndIp('fetch', url('fetch'), fetchFrom),
  ...byNameAndIp('net.connect', (host) => `net.connect(port, ${host})`, connect),
  {
    name: 'net.connect.pipe',
    call: 'net.connect(path)',
    run: ({ servers }) => drained(net.connect({ path: servers.pipe })),
    why: { kernel: 'A pipe is watched like a socket (on Windows, another pool of the system serves it).' },
  },
  ...byNameAndIp(
    'net.listen',
    (host) => `server.listen(port, ${host})`,
    listen,
    { 'main thread': 'bind(2) and listen(2) do not block; the callback is only put off to the next tick.' },
    'listening on an IP',
  ),
  ...byNameAndIp('tls.connect', (host) => `tls.connect(port, ${host})`, handshake, {
    kernel: 'The kernel does the waiting; the handshake is computed on the thread of the event loop.',
  }),
  ...byNameAndIp('dgram.send', (host) => `socket.send(data, port, ${host})`, datagram),
];
