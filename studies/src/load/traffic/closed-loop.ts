import { setMaxListeners } from 'node:events';
import type { Ask } from './exchange.js';
import type { TrafficOutcome } from './outcome.js';

/**
 * `parallel` clients, each of which sends `requests` requests one after another: the load of a fixed number of users who
 * wait for each answer. Latencies are those of the requests themselves.
 *
 * @throws an AbortError when the signal aborts.
 */
export async function closedLoop(
  ask: Ask,
  { parallel, requests }: { readonly parallel: number; readonly requests: number },
  signal: AbortSignal,
): Promise<TrafficOutcome> {
  const aborted = AbortSignal.any([signal]);
  // Every request under way listens to it.
  setMaxListeners(0, aborted);
  const latenciesMs: number[] = [];
  let failures = 0;
  let firstFailure: string | null = null;
  const client = async (): Promise<void> => {
    for (let request = 0; request < requests; request++) {
      const sent = performance.now();
      const { failure } = await ask(aborted);
      signal.throwIfAborted();
      if (failure === null) latenciesMs.push(performance.now() - sent);
      else {
        failures++;
        firstFailure ??= failure;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  return {
    sent: parallel * requests,
    latenciesMs,
    failures,
    firstFailure,
    sentLate: 0,
    dropped: 0,
    unfinished: 0,
    lagsMs: [],
  };
}
