import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';

/** How one request ended; `failure` is `null` when it was answered with a status below 400. */
export interface Exchange {
  readonly failure: string | null;
}

/** Sends one request and settles when its answer has been read to the end; never rejects. */
export type Ask = (signal: AbortSignal) => Promise<Exchange>;

/**
 * The same way to ask, that gives an answer up `ms` after a process of the server died, if it was to come by then: a
 * connection that was on its way to that process (node:cluster hands them over) stays open for ever.
 */
export function givingUp(ask: Ask, died: Promise<void>, ms: number): Ask {
  const waiting = new Set<() => void>();
  let isDead = false;
  const later = (giveUp: () => void): unknown => setTimeout(giveUp, ms).unref();
  void died.then(() => {
    isDead = true;
    for (const giveUp of waiting) later(giveUp);
  });
  return (signal) =>
    new Promise((resolve) => {
      const giveUp = (): void => resolve({ failure: 'no answer after a process of the server died' });
      waiting.add(giveUp);
      if (isDead) later(giveUp);
      void ask(signal).then((exchange) => {
        waiting.delete(giveUp);
        resolve(exchange);
      });
    });
}

/**
 * A way to ask for a URL, each time over a connection of its own as curl does, so that a cluster spreads the requests
 * over its workers. The name is looked up once, here.
 *
 * @throws the error of the look-up.
 */
export async function askFor(url: URL): Promise<Ask> {
  const { request } = url.protocol === 'https:' ? https : http;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const { address, family } = isIP(name) ? { address: name, family: isIP(name) } : await lookup(name);
  return (signal) =>
    new Promise((resolve) => {
      const fail = (error: Error): void =>
        resolve({ failure: (error as NodeJS.ErrnoException).code ?? error.message });
      const options: https.RequestOptions = {
        agent: false,
        signal,
        lookup: (_, { all }, found) =>
          all ? found(null, [{ address, family }]) : found(null, address, family),
      };
      request(url, options, (response) => {
        const { statusCode = 0 } = response;
        response.on('error', fail);
        // An answer that breaks off emits no end.
        response.on('close', () => resolve({ failure: 'the answer broke off' }));
        response.on('end', () => resolve({ failure: statusCode < 400 ? null : `HTTP ${statusCode}` }));
        response.resume();
      })
        .on('error', fail)
        .end();
    });
}
