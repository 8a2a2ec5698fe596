import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from 'plimsoll/lab';
import type { Exchange, Traffic } from './catalogue.js';

/** What clients saw. */
export interface Slice {
  /** From sending to the last byte, in milliseconds; of every request that was answered. */
  readonly latenciesMs: readonly number[];
  /** Answers a second. */
  readonly perSecond: number;
  readonly failures: number;
  /** Of an open loop, the share of what was sent that had no answer when the last was due; 0 in a closed one. */
  readonly backlog: number;
}

/** Clients of one server, whose connections stay open from slice to slice. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  /** Not `fetch`, whose client has a queue of its own. */
  readonly #exchange: Exchange;

  constructor(
    readonly port: number,
    exchange: Exchange,
    readonly signal: AbortSignal,
  ) {
    this.#exchange = exchange;
  }

  /** Sends a slice of traffic; returns when everything that was sent is answered. @throws an AbortError. */
  async slice(traffic: Traffic, durationMs: number, seed: number): Promise<Slice> {
    const latenciesMs: number[] = [];
    let failures = 0;
    let sent = 0;
    let answeredInTime = 0;
    const ask = async (): Promise<void> => {
      const begun = performance.now();
      if (await this.#ask(sent++)) latenciesMs.push(performance.now() - begun);
      else failures++;
      if (performance.now() < until) answeredInTime++;
    };
    const begun = performance.now();
    const until = begun + durationMs;
    if (traffic.kind === 'closed') {
      const connection = async (): Promise<void> => {
        while (performance.now() < until) await ask();
      };
      await Promise.all(Array.from({ length: traffic.connections }, connection));
    } else await this.#arrivals(traffic.perSecond, until, seed, ask);
    const isOpen = traffic.kind === 'open';
    const inTime = isOpen ? answeredInTime : latenciesMs.length;
    return {
      latenciesMs,
      // Of an open loop, what comes after its end is the queue that was left.
      perSecond: (1000 * inTime) / (isOpen ? durationMs : performance.now() - begun),
      failures,
      backlog: isOpen ? 1 - inTime / Math.max(1, sent) : 0,
    };
  }

  /** None waits for another; the moments are the same for every size. */
  async #arrivals(perSecond: number, until: number, seed: number, ask: () => Promise<void>): Promise<void> {
    const random = createRandom(seed);
    const running: Promise<void>[] = [];
    let due = performance.now();
    for (;;) {
      due += (-Math.log(1 - random.next()) * 1000) / perSecond;
      if (due >= until) break;
      const left = due - performance.now();
      if (left > 0.5) await sleep(left, undefined, { signal: this.signal });
      running.push(ask());
    }
    await Promise.all(running);
  }

  /** @returns whether it was answered with 2xx. */
  #ask(index: number): Promise<boolean> {
    const { method, path, headers, body } = this.#exchange;
    this.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const failed = (): void => (this.signal.aborted ? reject(this.signal.reason) : resolve(false));
      const sent = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.port,
          method,
          path: path(index),
          headers: { ...headers, ...(body && { 'content-length': body.length }) },
        },
        (response) => {
          const { statusCode = 0 } = response;
          response.resume().once('end', () => resolve(statusCode >= 200 && statusCode < 300));
          response.once('error', failed);
        },
      );
      sent.once('error', failed);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
