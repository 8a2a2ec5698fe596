import type { IncomingMessage } from 'node:http';

import labels = require('./labels.cjs');

type Routes = InstanceType<typeof labels.Routes>;

/** What express and those like it leave on a request. */
interface Routed {
  readonly originalUrl?: unknown;
  readonly baseUrl?: unknown;
  readonly route?: { readonly path?: unknown };
}

/** The path of the route that express took, with that of the routers around it; `null` without one. */
function expressPattern({ baseUrl, route }: Routed): string | null {
  const path = route?.path;
  if (path === undefined || path === null) return null;
  const own = Array.isArray(path) ? path.map(String).join('|') : String(path);
  // Where a router is mounted is known as it was asked for, not as a pattern.
  return typeof baseUrl === 'string' && baseUrl !== '' ? labels.pathPattern(baseUrl) + own : own;
}

/** The number of the route of a request, as it is known when its response has ended. */
function routeOf(request: IncomingMessage, url: string, routes: Routes): number {
  const { method = '' } = request;
  const pattern = expressPattern(request as Routed);
  return pattern === null ? routes.ofUrl(method, url) : routes.named(labels.label(method, pattern));
}

/** `/users` of `/users/42`: a cheap name for requests that are alike. */
function firstSegment(url: string): string {
  const end = url.slice(1).search(/[/?]/);
  return end < 0 ? url.slice(0, 40) : url.slice(0, Math.min(end + 1, 40));
}

export = { routeOf, firstSegment };
