import dgram from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { preSharedKey } from '../servers.js';
import { callbacks, calls, type Entry, type EntryContext, type Why } from './entry.js';

function resolverOf({ servers }: EntryContext): dns.promises.Resolver {
  const resolver = new dns.promises.Resolver();
  resolver.setServers([`127.0.0.1:${servers.dns}`]);
  return resolver;
}

const RECORD_TYPES = ['4', '6', 'Cname', 'Mx', 'Ns', 'Ptr', 'Srv', 'Txt'] as const;

export const dnsEntries: readonly Entry[] = [
  ...callbacks(
    'dns.',
    dns,
    {},
    {
      'lookup(name)': {
        name: 'lookup.name',
        run: () => ['localhost'],
        why: {
          pool: 'getaddrinfo(3) blocks until the system answers, so libuv calls it on a pool thread as slow I/O.',
        },
        alternative:
          'dns.resolve4 or resolve6 (no /etc/hosts, no search domains), a cached lookup, connecting by IP',
      },
      "lookup('127.0.0.1')": {
        name: 'lookup.ip',
        run: () => ['127.0.0.1'],
        why: { 'main thread': 'An IP address needs no lookup: Node defers the callback to the next tick.' },
      },
      'lookupService(ip, port)': {
        run: () => ['127.0.0.1', 80],
        why: { pool: 'getnameinfo(3) blocks, so libuv calls it on a pool thread as slow I/O.' },
        alternative: 'dns.reverse',
      },
    },
  ),
  ...calls(
    'dns.',
    { kernel: 'c-ares asks the DNS server itself, over a socket that the event loop watches.' },
    {
      'promises.lookup(name)': {
        name: 'promises.lookup.name',
        run: () => dns.promises.lookup('localhost'),
        why: { pool: 'This promise wraps the same getaddrinfo(3), which runs on a pool thread as slow I/O.' },
        alternative: 'dns.promises.resolve4 or resolve6, a cached lookup, connecting by IP',
      },
      ...Object.fromEntries(
        RECORD_TYPES.map((type) => [
          `resolve${type}(name, callback)`,
          (context: EntryContext) => resolverOf(context)[`resolve${type}`]('host.plimsoll.test'),
        ]),
      ),
      'reverse(ip, callback)': (context) => resolverOf(context).reverse('127.0.0.1'),
    },
  ),
];

const BY_NAME = 'Node first looks up the name with getaddrinfo(3) on a pool thread, then uses a socket.';
const WATCHED: Why = { kernel: 'The kernel waits: the event loop watches the socket and needs no thread.' };
const CONNECTING =
  'connecting by IP, keeping connections alive, or a `lookup` option that caches or resolves with c-ares';

/** Two entries: HOST in the call is a name, or an IP. */
function byNameAndIp(
  name: string,
  call: string,
  run: (host: string, context: EntryContext) => unknown,
  whyByIp: Why = WATCHED,
  alternative = CONNECTING,
): Entry[] {
  const entry = (host: 'name' | 'IP', address: string): Record<string, Entry['run']> => ({
    [call.replace('HOST', host)]: (context) => run(address, context),
  });
  const [byName] = calls('', { both: BY_NAME, pool: BY_NAME }, entry('name', 'localhost')) as [Entry];
  const [byIp] = calls('', whyByIp, entry('IP', '127.0.0.1')) as [Entry];
  return [
    { ...byName, name: `${name}.name`, alternative },
    { ...byIp, name: `${name}.ip` },
  ];
}

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
  ...byNameAndIp('http.get', "http.get('http://HOST/')", httpGet),
  ...byNameAndIp('https.get', "https.get('https://HOST/')", httpsGet),
  ...byNameAndIp('fetch', "fetch('http://HOST/')", fetchFrom),
  ...byNameAndIp('net.connect', 'net.connect(port, HOST)', connect),
  {
    name: 'net.connect.pipe',
    call: 'net.connect(path)',
    run: ({ servers }) => drained(net.connect({ path: servers.pipe })),
    why: {
      kernel: 'The event loop watches a pipe like a socket (on Windows, a system thread pool serves it).',
    },
  },
  ...byNameAndIp(
    'net.listen',
    'server.listen(port, HOST)',
    listen,
    { 'main thread': 'bind(2) and listen(2) do not block; Node defers the callback to the next tick.' },
    'listening on an IP',
  ),
  ...byNameAndIp('tls.connect', 'tls.connect(port, HOST)', handshake, {
    kernel: 'The kernel waits; the event-loop thread computes the handshake.',
  }),
  ...byNameAndIp('dgram.send', 'socket.send(data, port, HOST)', datagram),
];
