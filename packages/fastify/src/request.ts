import type { AbortSignalAny } from '@plimsoll/pool';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientGone, entryFor, type GivenOptions, run } from './run-task.js';

const kReply = Symbol('plimsoll.reply');

type WithReply = FastifyRequest & { [kReply]: FastifyReply | null };

/** Gives the requests of a context, and of its children, their `runTask`. */
export function decorateRequests(fastify: FastifyInstance): void {
  if (fastify.hasRequestDecorator('runTask')) return;
  fastify.decorateRequest(kReply, null);
  fastify.addHook('onRequest', (request, reply, done) => {
    (request as WithReply)[kReply] = reply;
    done();
  });
  fastify.decorateRequest('runTask', runForRequest as FastifyRequest['runTask']);
}

async function runForRequest(this: FastifyRequest, task: unknown, options: GivenOptions): Promise<unknown> {
  const entry = entryFor(this.server, options?.pool);
  const { signal, release } = endsWith((this as WithReply)[kReply] as FastifyReply, options?.signal);
  try {
    return await run(entry, task, { ...options, signal });
  } finally {
    release();
  }
}

/**
 * A signal that is aborted when the response is over or the caller's own signal is.
 *
 * The response tells, not the request: Node closes a request as soon as its body has been read. So does Fastify's
 * `request.signal`, which therefore neither misses nor waits for the right moment.
 */
function endsWith(
  { raw }: FastifyReply,
  own: AbortSignalAny | null | undefined,
): { signal: AbortSignalAny; release: () => void } {
  const controller = new AbortController();
  const gone = (): void => controller.abort(new ClientGone());
  if (isOver(raw)) gone();
  raw.once('close', gone);
  const ownAborts = (): void => controller.abort((own as AbortSignal).reason);
  const unfollow = follow(own, ownAborts);
  return {
    signal: controller.signal,
    release: () => {
      raw.off('close', gone);
      unfollow();
    },
  };
}

/** HTTP/2's response knows by its stream. */
const isOver = (raw: FastifyReply['raw']): boolean =>
  raw.destroyed || (raw as { stream?: { destroyed: boolean } }).stream?.destroyed === true;

function follow(signal: AbortSignalAny | null | undefined, listener: () => void): () => void {
  if (signal === undefined || signal === null) return () => {};
  if ('addEventListener' in signal) {
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  }
  signal.once('abort', listener);
  return () => signal.off('abort', listener);
}
