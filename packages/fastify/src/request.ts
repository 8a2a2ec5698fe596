import { type EventEmitter, setMaxListeners } from 'node:events';
import type { AbortSignalAny } from '@plimsoll/pool';
import { listen, signalOf, unlisten } from '@plimsoll/pool/internal';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { poolFor } from './registry.js';
import { ClientGone, type GivenOptions, run } from './run-task.js';

const kReply = Symbol('plimsoll.reply');
const kEnding = Symbol('plimsoll.ending');

type Known = FastifyRequest & { [kReply]: FastifyReply | null; [kEnding]: Ending | null };

/**
 * Gives the requests of a context, and of its children, their `runTask`.
 * @throws Fastify's error for an application that has decorated them so itself
 */
export function decorateRequests(fastify: FastifyInstance): void {
  if (fastify.hasRequestDecorator(kReply)) return;
  fastify.decorateRequest('runTask', runForRequest as FastifyRequest['runTask']);
  fastify.decorateRequest(kReply, null);
  fastify.decorateRequest(kEnding, null);
  fastify.addHook('onRequest', (request, reply, done) => {
    (request as Known)[kReply] = reply;
    done();
  });
}

async function runForRequest(this: FastifyRequest, task: unknown, options: GivenOptions): Promise<unknown> {
  const pool = poolFor(this.server, options?.pool);
  const callerSignal = signalOf(options?.signal);
  const { signal, release } = signalFor(this as Known, callerSignal);
  // Whoever only connects and leaves must not end threads. A limit that the application sets does.
  const isLimited = options?.timeout !== undefined || callerSignal !== undefined;
  const grace = options?.grace ?? (isLimited ? 0 : Number.POSITIVE_INFINITY);
  try {
    return await run(pool, task, { ...options, grace, signal });
  } finally {
    release();
  }
}

interface Ending {
  readonly signal: AbortSignalAny;
  release(): void;
}

/** Aborted when the response is over, or the caller's own signal is. */
function signalFor(request: Known, own: AbortSignalAny | undefined): Ending {
  const reply = request[kReply];
  // A hook that was added before the plugin knows no more than the connection, which outlives requests.
  if (reply === null) return joined(endingOf(connectionOf(request)), own, true);
  const { raw } = reply;
  // A response behind others of its connection does not have that yet, and hears nothing of its end.
  request[kEnding] ??= raw.socket === null ? endingOf(raw, connectionOf(request)) : endingOf(raw);
  return joined(request[kEnding], own, false);
}

const connectionOf = ({ raw }: FastifyRequest): EventEmitter =>
  (raw as { stream?: EventEmitter }).stream ?? raw.socket;

/**
 * The response tells, not the request: Node closes a request as soon as its body has been read. So does Fastify's
 * `request.signal`, which therefore neither misses nor waits for the right moment.
 */
function endingOf(...parts: EventEmitter[]): Ending {
  const controller = new AbortController();
  // Each task of the request listens, and each request of the connection.
  setMaxListeners(0, controller.signal, ...parts);
  const release = (): void => {
    for (const part of parts) part.off('close', gone);
  };
  const gone = (): void => {
    release();
    controller.abort(new ClientGone());
  };
  for (const part of parts) part.once('close', gone);
  if (parts.some(isOver)) gone();
  return { signal: controller.signal, release };
}

/** HTTP/2's response knows by its stream. */
function isOver(part: EventEmitter): boolean {
  const { destroyed, stream } = part as { destroyed?: boolean; stream?: { destroyed: boolean } };
  return destroyed === true || stream?.destroyed === true;
}

/** @param isOnce the ending is that of this task alone */
function joined(ending: Ending, own: AbortSignalAny | undefined, isOnce: boolean): Ending {
  const releaseEnding = isOnce ? ending.release : () => {};
  if (own === undefined) return { signal: ending.signal, release: releaseEnding };
  const controller = new AbortController();
  const unfollow = [ending.signal, own].map((signal) =>
    follow(signal, () => controller.abort((signal as AbortSignal).reason)),
  );
  return {
    signal: controller.signal,
    release: () => {
      releaseEnding();
      for (const end of unfollow) end();
    },
  };
}

function follow(signal: AbortSignalAny, listener: () => void): () => void {
  if ((signal as AbortSignal).aborted) listener();
  listen(signal, listener);
  return () => unlisten(signal, listener);
}
