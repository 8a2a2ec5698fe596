import { usage } from '../../errors.js';
import type { Endpoint } from '../endpoint.js';
import { sendByCommand } from './command.js';
import type { Traffic, TrafficContext } from './traffic.js';
import { CONNECTIONS, checkUrls, methodOf, sendToUrls, type UrlRequests } from './urls.js';
import { splitWords } from './words.js';

export type TrafficSource =
  | { readonly from: 'command'; readonly words: readonly [string, ...string[]] }
  | ({ readonly from: 'urls' } & UrlRequests);

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

export interface AskedTraffic extends Omit<UrlRequests, 'urls' | 'headers'> {
  readonly onPort?: string | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly headers?: readonly string[] | undefined;
}

/** @returns null: whoever sends requests anyway. @throws {PlimsollError} PLIMSOLL_USAGE for what cannot be sent. */
export function trafficSource({
  onPort,
  urls = [],
  headers = [],
  ...asked
}: AskedTraffic): TrafficSource | null {
  if (onPort !== undefined) return { from: 'command', words: splitWords(onPort, 'onPort') };
  if (urls.length === 0) return null;
  const { method } = asked;
  if (method !== undefined && !/^[a-z-]+$/i.test(method))
    throw usage(`method: must be an HTTP method such as POST, not ${JSON.stringify(method)}`);
  const requests = { ...asked, urls, method: method?.toUpperCase(), headers: headersOf(headers) };
  checkUrls(requests);
  return { from: 'urls', ...requests };
}

/** A token of HTTP, a colon, and whatever may be in a value. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw usage(`headers: must look like "authorization: Bearer x", not ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
}
