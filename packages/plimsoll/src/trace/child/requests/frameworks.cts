import channels = require('node:diagnostics_channel');
import exchanges = require('./exchanges.cjs');

import type { ServerResponse } from 'node:http';

// Express and restify leave the route on the request (see exchanges.cts); Nest is one of express or fastify.

interface FastifyRequest {
  readonly routeOptions?: { readonly url?: unknown };
  /** Of fastify 4, where the other may be missing. */
  readonly routerPath?: unknown;
}

interface Fastify {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: { readonly raw: object }, done: () => void) => void,
  ): void;
}

/** Fastify, 4 and 5, tells of each server that is made; a hook of ours is then the first to see its requests. */
function watchFastify(): void {
  channels.subscribe('fastify.initialization', (message) => {
    try {
      (message as { readonly fastify: Fastify }).fastify.addHook('onRequest', (request, reply, done) => {
        exchanges.nameBy(reply.raw, () => request.routeOptions?.url ?? request.routerPath);
        done();
      });
    } catch {
      // Another fastify than is known here; its requests are named by their URLs.
    }
  });
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** What a framework makes of a request, in which the route is found when it is needed. */
interface Maker {
  /** The module, and where in it the method is. */
  readonly module: RegExp;
  readonly owner: (exported: unknown) => Record<string, Method | undefined> | undefined;
  readonly method: string;
  readonly responseOf: (args: readonly unknown[]) => ServerResponse;
  readonly pattern: (made: unknown) => unknown;
}

const MAKERS: readonly Maker[] = [
  {
    module: /[\\/]koa[\\/]lib[\\/]application\.js$/,
    owner: (exported) => (exported as { prototype?: Record<string, Method | undefined> }).prototype,
    method: 'createContext',
    responseOf: ([, response]) => response as ServerResponse,
    // What @koa/router leaves there.
    pattern: (made) => (made as { _matchedRoute?: unknown })._matchedRoute,
  },
  {
    module: /[\\/]@hapi[\\/]hapi[\\/]lib[\\/]request\.js$/,
    owner: (exported) => exported as Record<string, Method | undefined>,
    method: 'generate',
    responseOf: ([, , response]) => response as ServerResponse,
    pattern: (made) => (made as { route?: { path?: unknown } }).route?.path,
  },
];

const watched = new WeakSet<object>();

/** Watch what makes requests, in frameworks that the app has loaded by now and that tell of nothing. */
function watchLoaded(): void {
  for (const [path, loaded] of Object.entries(require.cache)) {
    for (const maker of MAKERS) if (maker.module.test(path)) watchMaker(maker, loaded?.exports);
  }
}

function watchMaker({ owner, method, responseOf, pattern }: Maker, exported: unknown): void {
  const place = owner(exported);
  const original = place?.[method];
  if (place === undefined || original === undefined || watched.has(place)) return;
  watched.add(place);
  place[method] = function (...args) {
    const made = Reflect.apply(original, this, args);
    exchanges.nameBy(responseOf(args), () => pattern(made));
    return made;
  };
}

export = { watchFastify, watchLoaded };
