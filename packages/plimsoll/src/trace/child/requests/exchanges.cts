import type { IncomingMessage } from 'node:http';

import labels = require('../../../target/child/labels.cjs');
import logs = require('./log.cjs');
import spans = require('./spans.cjs');
import stamp = require('../../../target/child/stamp.cjs');

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
}

/** What express, and frameworks like it, leave on a request. */
interface Routed {
  readonly params?: unknown;
  readonly baseUrl?: unknown;
  readonly route?: { readonly path?: unknown };
}

const stamps = stamp<Exchange>();

/** The path of the route that express took, with that of the routers around it; `null` without one. */
function expressPattern({ baseUrl, params, route }: Routed): string | null {
  const path = route?.path;
  if (path === undefined || path === null) return null;
  const own = Array.isArray(path) ? path.map(String).join('|') : String(path);
  if (typeof baseUrl !== 'string' || baseUrl === '') return own;
  // Where a router is mounted is known as it was asked for, not as a pattern.
  const names = new Map(Object.entries(params ?? {}).map(([name, value]) => [value as unknown, `:${name}`]));
  const base = baseUrl.split('/').map((segment) => names.get(segment) ?? segment);
  return labels.pathPattern(base.join('/')) + (own === '/' ? '' : own);
}

/** The number of the route of a request, as it is known when its response has ended. */
function routeOf(exchange: Exchange, routes: Log['routes']): number {
  const { method, url } = exchange;
  const path = patternOf(exchange);
  return path === null ? routes.ofUrl(method, url) : routes.named(labels.label(method, path));
}

function patternOf({ request, open }: Exchange): string | null {
  try {
    const given = open.pattern?.();
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
  { request, method, url }: Asked,
): Exchange | null {
  const route = (): number => routeOf(exchange, log.routes);
  const start = log.arrival();
  const begun = spans.adopt(log, kind, connection, route, start) ?? log.begin(kind, connection, route, start);
  if (begun === null) return null;
  const exchange: Exchange = { open: begun, request, method, url };
  return exchange;
}

/** A framework knows the pattern of the route of a request, by the end of its response. */
function nameBy(response: object, pattern: () => unknown): void {
  const { stream } = response as { readonly stream?: object };
  const exchange = stamps.get(response) ?? (stream === undefined ? undefined : stamps.get(stream));
  if (exchange !== undefined) exchange.open.pattern = pattern;
}

export = { of: stamps.get, put: stamps.put, open, nameBy };
