import type { EventEmitter } from 'node:events';

import net = require('node:net');
import wrapEmit = require('../../../target/child/emit.cjs');
import frameworks = require('./frameworks.cjs');
import Http1 = require('./http1.cjs');
import Http2 = require('./http2.cjs');
import logs = require('./log.cjs');

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

type Log = InstanceType<typeof logs.RequestLog>;

/**
 * Records what servers of HTTP are asked. Those of http, https and http2 all inherit from net.Server, so its `emit` sees
 * every request, whoever made the server and however it was imported; nothing of HTTP is loaded before the app does.
 */
function watchServers(log: Log): void {
  const http1 = new Http1(log);
  const http2 = new Http2(log);
  frameworks.watchFastify();
  wrapEmit(
    net.Server.prototype,
    (original) =>
      function emit(this: EventEmitter, ...args) {
        const open = arrival(http1, http2, args);
        return open === null
          ? Reflect.apply(original, this, args)
          : logs.inside(open, () => Reflect.apply(original, this, args));
      },
  );
}

function arrival(http1: Http1, http2: Http2, args: readonly unknown[]): ReturnType<Http1['arrives']> {
  try {
    switch (args[0]) {
      case 'request':
      case 'checkContinue':
      case 'checkExpectation':
        return http1.arrives(args[1] as IncomingMessage, args[2] as ServerResponse);
      case 'upgrade':
      case 'connect':
        return http1.leaves(args[1] as IncomingMessage, args[2] as net.Socket);
      case 'stream':
        return http2.arrives(args[1] as ServerHttp2Stream, args[2] as Record<string, unknown>);
      case 'listening':
        frameworks.watchLoaded();
        return null;
      default:
        return null;
    }
  } catch {
    // Another's event of that name.
    return null;
  }
}

export = watchServers;
