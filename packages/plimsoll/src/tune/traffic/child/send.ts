// The process that sends the requests of --url. It ends with the channel to its parent.
import http from 'node:http';
import https from 'node:https';
import autocannon from 'autocannon';

export interface SendOrder {
  readonly urls: readonly string[];
  readonly connections: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly rate: number | null;
}

export interface Sent {
  readonly requests: number;
  /** Those without an answer, or with a status of 400 or more. */
  readonly refused: number;
  /** What was wrong with the last of these: `HTTP 404`, `ECONNREFUSED`. */
  readonly reason: string;
}

const TELL_MS = 500;
/** Longer than an app may take on purpose. autocannon closes the connection then. */
const TIMEOUT_S = 60;
/** More than a day; a timer cannot be set for more than 24. */
const FOR_EVER_S = 1_000_000;
/** Of an open stream: seconds of it that may be under way. What comes on top is not sent; the app is overloaded long since. */
const MOST_UNDER_WAY_S = 2;
const LEAST_UNDER_WAY = 100;

let [requests, refused, reason] = [0, 0, ''];

const count = (problem: string | null): void => {
  requests++;
  if (problem === null) return;
  refused++;
  reason = problem;
};
const answered = (status: number): void => count(status < 400 ? null : `HTTP ${status}`);
const lost = (error: NodeJS.ErrnoException): void => count(error.code ?? error.message);

process.once('message', (order: SendOrder) => {
  setInterval(() => {
    if (refused > 0) process.send?.({ requests, refused, reason } satisfies Sent, () => {});
  }, TELL_MS);
  if (order.rate === null) sendInTurn(order);
  else sendAtRate(order, order.rate);
});
process.once('disconnect', () => process.exit());

/** A closed loop: each connection waits for its answer before it asks again. */
function sendInTurn({ urls, connections, method, headers, body }: SendOrder): void {
  const options = {
    // The types know one URL only. Connections take them in turn.
    url: urls as unknown as string,
    connections,
    method: method as autocannon.Request['method'],
    headers: { ...headers },
    ...(body === null ? {} : { body }),
    timeout: TIMEOUT_S,
    duration: FOR_EVER_S,
  };
  const instance = autocannon(options, () => {});
  instance.on('response', (_, status: number) => answered(status));
  instance.on('reqError', lost);
}

/** Independent users: Poisson arrivals. autocannon's rate is a burst each second, too coarse for windows of a quarter of one. */
function sendAtRate({ urls, method, headers, body }: SendOrder, rate: number): void {
  const most = Math.max(LEAST_UNDER_WAY, rate * MOST_UNDER_WAY_S);
  const options = { method, headers, rejectUnauthorized: false };
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
  let underWay = 0;

  const send = (url: URL, isSecond = false): void => {
    underWay++;
    const asked =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: agents.https })
        : http.request(url, { ...options, agent: agents.http });
    asked.on('response', (response) => {
      response.on('error', () => {});
      response.once('close', () => {
        if (response.complete) answered(response.statusCode ?? 0);
        else lost(new Error('the answer broke off'));
      });
      response.resume();
    });
    asked.on('error', (error) => {
      // The server may close an idle connection at the moment at which it is used again.
      if (asked.reusedSocket && !isSecond) send(url, true);
      else lost(error);
    });
    asked.once('close', () => underWay--);
    asked.end(body ?? undefined);
  };

  const targets = urls.map((url) => new URL(url));
  let turn = 0;
  let nextMs = performance.now();
  const sendDue = (): void => {
    const now = performance.now();
    // After a sleep of the machine no requests have gathered.
    nextMs = Math.max(nextMs, now - 1_000);
    while (nextMs <= now) {
      nextMs -= (Math.log(1 - Math.random()) * 1000) / rate;
      const url = targets[turn++ % targets.length];
      if (url !== undefined && underWay < most) send(url);
    }
    setTimeout(sendDue, nextMs - now);
  };
  sendDue();
}
