/** How this machine resolves names, as far as it bears on `dns.lookup`, and without a name or an address. */
import { readText } from './read.js';

export interface ResolverFacts {
  nameservers: number | null;
  /** Whether every name server is on this machine (systemd-resolved, dnsmasq): answers may come from its cache. */
  isLocal: boolean | null;
  /** How many search domains: with `ndots`, each may cost one more query. */
  searchDomains: number | null;
  /** `ndots:5 timeout:1`; empty without options. */
  options: string | null;
  /** The hosts line of nsswitch.conf: `files dns`. */
  hosts: string | null;
}

/**
 * Reads /etc/resolv.conf and /etc/nsswitch.conf. Never throws: what cannot be read is `null`.
 *
 * @param root directory that plays the part of `/`; by default `/`
 * @example
 * readResolver().options; // 'ndots:5'
 */
export function readResolver(root = '/'): ResolverFacts {
  const conf = readText(root, '/etc/resolv.conf');
  const hosts = parseHostsLine(readText(root, '/etc/nsswitch.conf') ?? '');
  if (conf === null) return { nameservers: null, isLocal: null, searchDomains: null, options: null, hosts };
  return { ...parseResolvConf(conf), hosts };
}

/**
 * Parses resolv.conf(5) into counts and options; addresses and domains are dropped here.
 *
 * @example
 * parseResolvConf('nameserver 127.0.0.53\noptions edns0\n'); // { nameservers: 1, isLocal: true, … }
 */
export function parseResolvConf(text: string): Omit<ResolverFacts, 'hosts'> {
  const servers: string[] = [];
  const options: string[] = [];
  let searchDomains = 0;
  for (const line of text.split('\n')) {
    const [key, ...values] = line.trim().split(/\s+/);
    if (key === 'nameserver' && values[0] !== undefined) servers.push(values[0]);
    // `search` and `domain` exclude each other: the last one holds.
    if (key === 'search' || key === 'domain') searchDomains = values.length;
    // Only what looks like an option: nothing else may slip into a published report.
    if (key === 'options') options.push(...values.filter((value) => /^[a-z][a-z0-9-]*(:\d+)?$/.test(value)));
  }
  const isLocal = servers.length > 0 && servers.every((server) => /^(127\.|::1$)/.test(server));
  return { nameservers: servers.length, isLocal, searchDomains, options: options.join(' ') };
}

/**
 * The sources of host names in nsswitch.conf(5), in their order.
 *
 * @returns `null` without such a line (musl has none)
 * @example
 * parseHostsLine('hosts:  files mdns4_minimal [NOTFOUND=return] dns\n'); // 'files mdns4_minimal [NOTFOUND=return] dns'
 */
export function parseHostsLine(text: string): string | null {
  const value = /^[ \t]*hosts:([^#\n]*)/m.exec(text)?.[1];
  return value?.trim().split(/\s+/).join(' ') || null;
}
