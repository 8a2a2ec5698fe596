import dns from 'node:dns';
import { promisify } from 'node:util';
import { type Entry, type EntryContext, entries } from './entry.js';

const C_ARES = { kernel: 'c-ares asks the DNS server itself over a socket that the event loop watches.' };

function resolverOf({ servers }: EntryContext): dns.promises.Resolver {
  const resolver = new dns.promises.Resolver();
  resolver.setServers([`127.0.0.1:${servers.dns}`]);
  return resolver;
}

const resolving = (['4', '6', 'Cname', 'Mx', 'Ns', 'Ptr', 'Srv', 'Txt'] as const).map(
  (type) =>
    [
      `resolve${type}(name, callback)`,
      (context: EntryContext) => resolverOf(context)[`resolve${type}`]('host.plimsoll.test'),
    ] as const,
);

export const dnsEntries: readonly Entry[] = entries('dns.', C_ARES, {
  'lookup(name, callback)': {
    name: 'lookup.name',
    run: () => promisify(dns.lookup)('localhost'),
    why: {
      pool: 'getaddrinfo(3) blocks until the system has an answer, so libuv calls it on a pool thread, as slow I/O.',
    },
    alternative:
      'dns.resolve4 or resolve6 (no /etc/hosts, no search domains), a cached lookup, connecting by IP',
  },
  "lookup('127.0.0.1', callback)": {
    name: 'lookup.ip',
    run: () => promisify(dns.lookup)('127.0.0.1'),
    why: { 'main thread': 'An IP address needs no lookup: the callback is only put off to the next tick.' },
  },
  'promises.lookup(name)': {
    name: 'promises.lookup.name',
    run: () => dns.promises.lookup('localhost'),
    why: { pool: 'It is the same getaddrinfo(3) on a pool thread, as slow I/O, behind a promise.' },
    alternative: 'dns.promises.resolve4 or resolve6, a cached lookup, connecting by IP',
  },
  'lookupService(ip, port, callback)': {
    run: () => promisify(dns.lookupService)('127.0.0.1', 80),
    why: { pool: 'getnameinfo(3) blocks, so libuv calls it on a pool thread, as slow I/O.' },
    alternative: 'dns.reverse',
  },
  ...Object.fromEntries(resolving),
  'reverse(ip, callback)': (context) => resolverOf(context).reverse('127.0.0.1'),
});
