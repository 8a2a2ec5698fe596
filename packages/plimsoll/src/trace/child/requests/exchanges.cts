import type { IncomingMessage } from 'node:http';

import context = require('../context.cjs');
import labels = require('./labels.cjs');
import logs = require('./log.cjs');
import stamp = require('./stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;

/** What came over HTTP. */
interface Asked {
  /** `null` for a stream of HTTP/2. */
  readonly request: IncomingMessage | null;
  readonly method: string;
  /** Frameworks change that of the request. */
  readonly url: string;
}

/** A request over HTTP, with what its route is known from at its end. */
interface Exchange extends Asked {
  readonly open: Open;
  /** Set by what knows the framework. */
  pattern: (() => unknown) | null;
}

/** What express, and frameworks like it, leave on a request. */
interface Routed {
  readonly baseUrl?: unknown;
  readonly route?: { readonly path?: unknown };
}

const stamps = stamp<Exchange>();

/** The path of the route that express took, with that of the routers around it; `null` without one. */
function expressPattern({ baseUrl, route }: Routed): string | null {
  const path = route?.path;
  if (path === undefined || path === null) return null;
  const own = Array.isArray(path) ? path.map(String).join('|') : String(path);
  // Where a router is mounted is known as it was asked for, not as a pattern.
  if (typeof baseUrl !== 'string' || baseUrl === '') return own;
  return labels.pathPattern(baseUrl) + (own === '/' ? '' : own);
}

/** The number of the route of a request, as it is known when its response has ended. */
function routeOf(exchange: Exchange, routes: Log['routes']): number {
  const { method, url } = exchange;
  const path = patternOf(exchange);
  return path === null ? routes.ofUrl(method, url) : routes.named(labels.label(method, path));
}

function patternOf({ request, pattern }: Exchange): string | null {
  try {
    const given = pattern?.();
    if (typeof given === 'string' || given instanceof RegExp) return String(given);
    return request === null ? null : expressPattern(request as Routed);
  } catch {
    // What looks like a framework's is something else.
    return null;
  }
}

/** A request arrives. @returns `null` when no more are recorded. */
function open(
  log: Log,
  kind: 'http' | 'http2',
  connection: number,
  isSampled: boolean,
  asked: Asked,
): Exchange | null {
  const route = (): number => routeOf(exchange, log.routes);
  const begun = log.begin(kind, connection, isSampled, route, log.arrival());
  if (begun === null) return null;
  const exchange: Exchange = { ...asked, open: begun, pattern: null };
  return exchange;
}

/** A framework knows the pattern of the route of a request, by the end of its response. */
function nameBy(response: object, pattern: () => unknown): void {
  const { stream } = response as { readonly stream?: object };
  const exchange = stamps.get(response) ?? (stream === undefined ? undefined : stamps.get(stream));
  if (exchange !== undefined) exchange.pattern = pattern;
}

export = { of: stamps.get, put: stamps.put, open, nameBy };
