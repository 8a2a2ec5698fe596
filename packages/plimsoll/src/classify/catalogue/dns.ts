import dns from 'node:dns';
import { promisify } from 'node:util';
import type { Entry, EntryContext } from './entry.js';

const C_ARES = 'c-ares asks the DNS server itself over a socket that the event loop watches.';

function resolverOf({ servers }: EntryContext): dns.promises.Resolver {
  const resolver = new dns.promises.Resolver();
  resolver.setServers([`127.0.0.1:${servers.dns}`]);
  return resolver;
}

const resolving = (
  name: string,
  ask: (resolver: dns.promises.Resolver, name: string) => Promise<unknown>,
): Entry => ({
  name: `dns.${name}`,
  call: `dns.${name}(${name === 'reverse' ? 'ip' : 'name'}, callback)`,
  run: (context) => ask(resolverOf(context), 'host.plimsoll.test'),
  why: { kernel: C_ARES },
});

export const dnsEntries: readonly Entry[] = [
  {
    name: 'dns.lookup.name',
    call: 'dns.lookup(name, callback)',
    run: () => promisify(dns.lookup)('localhost'),
    why: {
      pool: 'getaddrinfo(3) blocks until the system has an answer, so libuv calls it on a pool thread, as slow I/O.',
    },
    alternative:
      'dns.resolve4 or resolve6 (no /etc/hosts, no search domains), a cached lookup, connecting by IP',
  },
  {
    name: 'dns.lookup.ip',
    call: "dns.lookup('127.0.0.1', callback)",
    run: () => promisify(dns.lookup)('127.0.0.1'),
    why: { 'main thread': 'An IP address needs no lookup: the callback is only put off to the next tick.' },
  },
  {
    name: 'dns.promises.lookup.name',
    call: 'dns.promises.lookup(name)',
    run: () => dns.promises.lookup('localhost'),
    why: { pool: 'It is the same getaddrinfo(3) on a pool thread, as slow I/O, behind a promise.' },
    alternative: 'dns.promises.resolve4 or resolve6, a cached lookup, connecting by IP',
  },
  {
    name: 'dns.lookupService',
    call: 'dns.lookupService(ip, port, callback)',
    run: () => promisify(dns.lookupService)('127.0.0.1', 80),
    why: { pool: 'getnameinfo(3) blocks, so libuv calls it on a pool thread, as slow I/O.' },
    alternative: 'dns.reverse',
  },
  resolving('resolve4', (resolver, name) => resolver.resolve4(name)),
  resolving('resolve6', (resolver, name) => resolver.resolve6(name)),
  resolving('resolveCname', (resolver, name) => resolver.resolveCname(name)),
  resolving('resolveMx', (resolver, name) => resolver.resolveMx(name)),
  resolving('resolveNs', (resolver, name) => resolver.resolveNs(name)),
  resolving('resolvePtr', (resolver, name) => resolver.resolvePtr(name)),
  resolving('resolveSrv', (resolver, name) => resolver.resolveSrv(name)),
  resolving('resolveTxt', (resolver, name) => resolver.resolveTxt(name)),
  resolving('reverse', (resolver) => resolver.reverse('127.0.0.1')),
];
