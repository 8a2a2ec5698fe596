import type { Endpoint } from '../endpoint.js';
import { sendByCommand } from './command.js';
import type { Traffic, TrafficContext } from './traffic.js';
import { CONNECTIONS, methodOf, sendToUrls, type UrlRequests } from './urls.js';

/** Who sends the requests: a command that is started when the app listens, or plimsoll itself. */
export type TrafficSource =
  | { readonly from: 'command'; readonly words: readonly [string, ...string[]] }
  | ({ readonly from: 'urls' } & UrlRequests);

/**
 * Send requests to an app that listens.
 *
 * @throws {PlimsollError} PLIMSOLL_TRAFFIC_FAILED when the command cannot be started, PLIMSOLL_UNREACHABLE when a URL cannot be
 * reached.
 * @example
 * const traffic = await openTraffic({ from: 'command', words: splitWords(onPort, '--on-port') }, endpoint, context);
 * // …
 * await traffic.close();
 */
export const openTraffic = (
  source: TrafficSource,
  endpoint: Endpoint,
  context: TrafficContext,
): Promise<Traffic> =>
  source.from === 'command'
    ? sendByCommand(source.words, endpoint, context)
    : sendToUrls(source, endpoint, context);

/** `POST /login, /logout (10 connections)`, or the command. */
export function trafficText(source: TrafficSource): string {
  if (source.from === 'command') return source.words.join(' ');
  const { urls, rate, connections = CONNECTIONS } = source;
  const method = methodOf(source);
  const pace =
    rate === undefined ? `${connections} connection${connections === 1 ? '' : 's'}` : `${rate} a second`;
  return `${method === 'GET' ? '' : `${method} `}${urls.join(', ')} (${pace})`;
}
