import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError, usage } from '../../errors.js';
import { printable } from '../../host/printable.js';
import { killGroup, lastWords, startGroup } from '../../lab/process.js';
import { createRandom } from '../../stats/random.js';
import { type Endpoint, urlOf } from '../endpoint.js';
import type { SendOrder, Sent, Traffic, TrafficContext } from './traffic.js';
import { withPort } from './words.js';

export interface UrlRequests {
  /** `$PORT` in them is replaced; one that begins with a slash is at the port that the app opened. */
  readonly urls: readonly string[];
  /** Connections, each of which sends its next request when the last one was answered. Without a rate; by default 10. */
  readonly connections?: number | undefined;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Requests a second that are sent at random times, whether or not earlier ones were answered; by default as connections allow. */
  readonly rate?: number | undefined;
}

export const CONNECTIONS = 10;
const REACH_MS = 5_000;
const LOOK_MS = 50;
const ENTRY = fileURLToPath(new URL('./child/send.js', import.meta.url));

export function checkUrls({ urls, connections = CONNECTIONS, rate }: UrlRequests): void {
  for (const url of urls) absolute(url, { host: '127.0.0.1', port: 1 });
  if (rate === undefined && connections < urls.length)
    throw usage(`connections: must be at least the number of URLs, ${urls.length}, not ${connections}`);
}

/** From a process of its own. */
export async function sendToUrls(
  requests: UrlRequests,
  endpoint: Endpoint,
  { guardian, signal }: TrafficContext,
): Promise<Traffic> {
  const urls = requests.urls.map((url) => absolute(url, endpoint));
  for (const url of urls) await reach(url, signal);
  const order: SendOrder = {
    urls: urls.map(({ href }) => href),
    connections: requests.connections ?? CONNECTIONS,
    method: methodOf(requests),
    headers: requests.headers ?? {},
    body: requests.body ?? null,
    rate: requests.rate ?? null,
  };
  const child = await startGroup(
    [process.execPath, ENTRY],
    { NODE_OPTIONS: '' },
    ['ignore', 'ignore', 'pipe', 'ipc'],
    createRandom(0),
  );
  guardian.watch(child.pid);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  let sent: Sent = { requests: 0, refused: 0, reason: '' };
  child.on('message', (news: Sent) => {
    sent = news;
  });
  child.send(order, () => {});
  let isClosed = false;
  const failed = once(child, 'close').then(([code, how]) =>
    isClosed
      ? new Promise<never>(() => {})
      : new PlimsollError(
          'PLIMSOLL_TRAFFIC_FAILED',
          `--url: the process that sends the requests ended (${how === null ? `exit code ${code}` : `signal ${how}`}${lastWords(stderr)})`,
        ),
  );
  return {
    failed,
    trouble: () =>
      sent.refused * 2 > sent.requests
        ? {
            text: `${sent.refused} of ${sent.requests} requests to ${order.urls.join(', ')} got no successful response (${printable(sent.reason)})`,
            isAll: sent.refused === sent.requests,
          }
        : null,
    async close() {
      isClosed = true;
      await killGroup(child);
      guardian.forget(child.pid);
    },
  };
}

export const methodOf = ({ method, body }: UrlRequests): string =>
  method ?? (body === undefined ? 'GET' : 'POST');

function absolute(text: string, endpoint: Endpoint): URL {
  const whole = withPort(text.startsWith('/') ? `${urlOf(endpoint)}${text}` : text, endpoint.port);
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usage(
      `--url: must be a URL such as http://127.0.0.1:$PORT/login, or a path such as /login, not ${JSON.stringify(text)}`,
    );
  return url;
}

async function reach(url: URL, signal: AbortSignal): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const until = performance.now() + REACH_MS;
  for (;;) {
    const problem = await refusal(url.hostname.replace(/^\[|\]$/g, ''), port);
    signal.throwIfAborted();
    if (problem === null) return;
    if (performance.now() > until)
      throw new PlimsollError(
        'PLIMSOLL_UNREACHABLE',
        `--url: nothing accepts connections at ${url.origin} (${problem}); does it name the port that the app listens on?`,
      );
    await sleep(LOOK_MS);
  }
}

function refusal(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const say = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket
      .setTimeout(1_000, () => say('no answer within 1 s'))
      .once('connect', () => say(null))
      .once('error', (error: NodeJS.ErrnoException) => say(error.code ?? error.message));
  });
}
