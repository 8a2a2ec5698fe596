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

const byName = (name: string, call: string, run: Entry['run']): Entry => ({
  name,
  call,
  run,
  why: { both: BY_NAME, pool: BY_NAME },
  alternative: ALTERNATIVE,
});

const byKernel = (name: string, call: string, run: Entry['run']): Entry => ({
  name,
  call,
  run,
  why: { kernel: KERNEL },
});

const received = (request: http.ClientRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => response.resume().once('end', resolve));
  });

const drained = (socket: net.Socket): Promise<unknown> => once(socket.resume(), 'close');

const httpGet =
  (host: string) =>
  ({ servers }: EntryContext) =>
    received(http.get({ host, port: servers.http, agent: false }));

const httpsGet =
  (host: string) =>
  ({ servers }: EntryContext) =>
    received(https.get({ host, port: servers.https, agent: false, ...preSharedKey.client }));

const fetchFrom =
  (host: string) =>
  async ({ servers }: EntryContext) =>
    (await fetch(`http://${host}:${servers.http}/`)).text();

const connect =
  (host: string) =>
  ({ servers }: EntryContext) =>
    drained(net.connect({ host, port: servers.tcp }));

const handshake =
  (host: string) =>
  async ({ servers }: EntryContext) => {
    const socket = tls.connect({ host, port: servers.https, ...preSharedKey.client });
    await once(socket, 'secureConnect');
    socket.destroy();
  };

const listen = (host: string) => async () => {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  server.close();
};

const datagram =
  (host: string) =>
  async ({ servers }: EntryContext) => {
    const socket = dgram.createSocket('udp4');
    socket.send('plimsoll', servers.udp, host);
    await once(socket, 'message');
    socket.close();
  };

export const networkEntries: readonly Entry[] = [
  byName('http.get.name', 'http.get(url with a name)', httpGet('localhost')),
  byKernel('http.get.ip', 'http.get(url with an IP)', httpGet('127.0.0.1')),
  byName('https.get.name', 'https.get(url with a name)', httpsGet('localhost')),
  byKernel('https.get.ip', 'https.get(url with an IP)', httpsGet('127.0.0.1')),
  byName('fetch.name', 'fetch(url with a name)', fetchFrom('localhost')),
  byKernel('fetch.ip', 'fetch(url with an IP)', fetchFrom('127.0.0.1')),
  byName('net.connect.name', 'net.connect(port, name)', connect('localhost')),
  byKernel('net.connect.ip', 'net.connect(port, IP)', connect('127.0.0.1')),
  {
    ...byKernel('net.connect.pipe', 'net.connect(path)', ({ servers }) =>
      drained(net.connect({ path: servers.pipe })),
    ),
    why: { kernel: 'A pipe is watched like a socket (on Windows, another pool of the system serves it).' },
  },
  {
    ...byName('net.listen.name', 'server.listen(port, name)', listen('localhost')),
    alternative: 'listening on an IP',
  },
  {
    name: 'net.listen.ip',
    call: 'server.listen(port, IP)',
    run: listen('127.0.0.1'),
    why: {
      'main thread': 'bind(2) and listen(2) do not block; the callback is only put off to the next tick.',
    },
  },
  byName('tls.connect.name', 'tls.connect(port, name)', handshake('localhost')),
  {
    ...byKernel('tls.connect.ip', 'tls.connect(port, IP)', handshake('127.0.0.1')),
    why: {
      kernel: 'The kernel does the waiting; the handshake is computed on the thread of the event loop.',
    },
  },
  byName('dgram.send.name', 'socket.send(data, port, name)', datagram('localhost')),
  byKernel('dgram.send.ip', 'socket.send(data, port, IP)', datagram('127.0.0.1')),
];
