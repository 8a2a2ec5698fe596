import { usage } from '../../errors.js';
import { type Endpoint, urlOf } from '../endpoint.js';
import { splitWords } from './words.js';

export interface UrlRequests {
  /** `$PORT` in them is replaced; one that begins with a slash is at the port that the app opened. */
  readonly urls: readonly string[];
  /** Connections, each of which sends its next request when the last one was answered. Without a rate; by default 10. */
  readonly connections?: number | undefined;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Requests a second, sent at random times whether or not earlier ones were answered; by default as connections allow. */
  readonly rate?: number | undefined;
}

export type TrafficSource =
  | { readonly from: 'command'; readonly words: readonly [string, ...string[]] }
  | ({ readonly from: 'urls' } & UrlRequests);

interface AskedTraffic extends Omit<UrlRequests, 'urls' | 'headers'> {
  readonly onPort?: string | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly headers?: readonly string[] | undefined;
}

export const CONNECTIONS = 10;

/** @returns null: requests come from elsewhere. @throws {PlimsollError} PLIMSOLL_USAGE for what cannot be sent. */
export function trafficSource(options: AskedTraffic): TrafficSource | null {
  const { onPort, urls = [], headers = [], ...asked } = options;
  if (onPort !== undefined) return { from: 'command', words: splitWords(onPort, 'onPort') };
  if (urls.length === 0) return null;
  const { method, connections = CONNECTIONS, rate } = asked;
  if (method !== undefined && !/^[a-z-]+$/i.test(method))
    throw usage(`method: must be an HTTP method such as POST, not ${JSON.stringify(method)}`);
  for (const url of urls) urlAt(url, { host: '127.0.0.1', port: 1 });
  if (rate === undefined && connections < urls.length)
    throw usage(`connections: must be at least the number of URLs, ${urls.length}, not ${connections}`);
  return { from: 'urls', ...asked, urls, method: method?.toUpperCase(), headers: headersOf(headers) };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const line of lines) {
    const colon = Math.max(0, line.indexOf(':'));
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1));
    } catch {
      throw usage(`headers: must look like "authorization: Bearer x", not ${JSON.stringify(line)}`);
    }
  }
  return Object.fromEntries(headers);
}

export const withPort = (text: string, port: number): string =>
  text.replace(/\$(?:PORT\b|\{PORT\})/g, String(port));

export function urlAt(text: string, endpoint: Endpoint): URL {
  const whole = withPort(text.startsWith('/') ? `${urlOf(endpoint)}${text}` : text, endpoint.port);
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usage(
      `--url: must be a URL such as http://127.0.0.1:$PORT/login, or a path such as /login, not ${JSON.stringify(text)}`,
    );
  return url;
}

export const methodOf = ({ method, body }: UrlRequests): string =>
  method ?? (body === undefined ? 'GET' : 'POST');

/** `POST /login, /logout (10 connections)`, or the command. */
export function trafficText(source: TrafficSource): string {
  if (source.from === 'command') return source.words.join(' ');
  const { urls, rate, connections = CONNECTIONS } = source;
  const method = methodOf(source);
  const clients = `${connections} connection${connections === 1 ? '' : 's'}`;
  const pace = rate === undefined ? clients : `${rate} a second`;
  return `${method === 'GET' ? '' : `${method} `}${urls.join(', ')} (${pace})`;
}
