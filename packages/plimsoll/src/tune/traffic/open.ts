import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../../errors.js';
import { printable } from '../../host/printable.js';
import { startCommand } from '../../lab/command.js';
import type { Supervision } from '../../lab/guardian.js';
import { endOf, killGroup, lastWords, startProcess } from '../../lab/process.js';
import type { Endpoint } from '../endpoint.js';
import type { SendOrder, Sent } from './child/send.js';
import { CONNECTIONS, methodOf, type TrafficSource, type UrlRequests, urlAt, withPort } from './source.js';

export interface Traffic {
  /** Resolves when no more requests will come, with the reason. Never rejects. */
  readonly failed: Promise<PlimsollError>;
  /** What is wrong with the requests, a clause for a message; `isAll`: not one got a good answer. `null`: nothing is known to be. */
  trouble(): { readonly text: string; readonly isAll: boolean } | null;
  close(): Promise<void>;
}

export interface TrafficContext extends Supervision {
  readonly onPause: () => void;
}

export const openTraffic = (
  source: TrafficSource,
  endpoint: Endpoint,
  context: TrafficContext,
): Promise<Traffic> =>
  source.from === 'command'
    ? sendByCommand(source.words, endpoint.port, context)
    : sendToUrls(source, endpoint, context);

const NEVER = new Promise<never>(() => {});

const failure = (what: string, options?: ErrorOptions): PlimsollError =>
  new PlimsollError('PLIMSOLL_TRAFFIC_FAILED', what, options);

/** A command that ends sooner sends for too short a time, if it does so several times in a row. */
const BRIEF_MS = 1_000;
const MOST_BRIEF = 3;

/** When it ends with 0 it is started anew, as autocannon ends after ten seconds unless told otherwise. */
async function sendByCommand(
  words: readonly [string, ...string[]],
  port: number,
  { guardian, onPause }: TrafficContext,
): Promise<Traffic> {
  // What leaves its group is found by this name in its environment.
  const mark = guardian.temporaryDirectory();
  const variables = { PORT: String(port), PLIMSOLL_TRAFFIC: mark };
  const command = words.map((word) => withPort(word, port));
  const start = () => startCommand(command, variables, 'last-words', guardian);
  const quoted = JSON.stringify(command.join(' '));
  let running = await start().catch((cause: Error) => {
    throw failure(`--on-port: ${cause.message}`, { cause });
  });
  let isClosed = false;

  const keepSending = async (): Promise<PlimsollError> => {
    for (let brief = 0; ; ) {
      const startedMs = performance.now();
      const end = await running.ended;
      await running.close();
      if (isClosed) return NEVER;
      if (end.code !== 0) return failure(`--on-port: ${quoted} failed (${end.text})`);
      brief = end.atMs - startedMs < BRIEF_MS ? brief + 1 : 0;
      if (brief === MOST_BRIEF)
        return failure(
          `--on-port: ${quoted} ended within ${BRIEF_MS / 1000} s, ${MOST_BRIEF} times in a row; it must send requests for longer, as autocannon -d 60 does`,
        );
      onPause();
      running = await start();
      if (isClosed) await running.stop('SIGTERM', [mark]);
    }
  };

  return {
    failed: keepSending().catch((cause: Error) => failure(`--on-port: ${cause.message}`, { cause })),
    trouble: () => null,
    async close() {
      isClosed = true;
      await running.stop('SIGTERM', [mark]);
    },
  };
}

const REACH_MS = 5_000;
const CONNECT_MS = 1_000;
const LOOK_MS = 50;
const ENTRY = fileURLToPath(new URL('./child/send.js', import.meta.url));

async function sendToUrls(
  requests: UrlRequests,
  endpoint: Endpoint,
  { guardian, signal }: TrafficContext,
): Promise<Traffic> {
  const urls = requests.urls.map((url) => urlAt(url, endpoint));
  for (const url of urls) await reach(url, signal);
  const { connections = CONNECTIONS, headers = {}, body = null, rate = null } = requests;
  const hrefs = urls.map(({ href }) => href);
  const order: SendOrder = { urls: hrefs, connections, method: methodOf(requests), headers, body, rate };
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
  const child = await startProcess([process.execPath, ENTRY], { NODE_OPTIONS: '' }, [...stdio]);
  guardian.watch(child.pid);
  let sent: Sent = { requests: 0, refused: 0, reason: '' };
  child.on('message', (news: Sent) => {
    sent = news;
  });
  child.send(order, () => {});
  let isClosed = false;
  const failed = endOf(child).then(({ code, signal: how, stderr }) => {
    const end = how === null ? `exit code ${code}` : `signal ${how}`;
    if (isClosed) return NEVER;
    return failure(`--url: the process that sends the requests ended (${end}${lastWords(stderr)})`);
  });
  return {
    failed,
    trouble() {
      const { refused, requests, reason } = sent;
      if (refused * 2 <= requests) return null;
      const text = `${refused} of ${requests} requests to ${hrefs.join(', ')} got no successful response (${printable(reason)})`;
      return { text, isAll: refused === requests };
    },
    async close() {
      isClosed = true;
      await killGroup(child);
      guardian.forget(child.pid);
    },
  };
}

async function reach({ hostname, port, protocol, origin }: URL, signal: AbortSignal): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '');
  for (const until = performance.now() + REACH_MS; ; ) {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const patience = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const problem = await once(socket, 'connect', { signal: patience }).then(
      () => null,
      (error: NodeJS.ErrnoException) => (patience.aborted ? 'no answer within 1 s' : error.code),
    );
    socket.on('error', () => {}).destroy();
    signal.throwIfAborted();
    if (problem === null) return;
    if (performance.now() > until)
      throw new PlimsollError(
        'PLIMSOLL_UNREACHABLE',
        `--url: nothing accepts connections at ${origin} (${problem}); does it name the port that the app listens on?`,
      );
    await sleep(LOOK_MS);
  }
}
