import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from '../collections/sum.js';
import { PlimsollError } from '../errors.js';
import type { CommandEnd } from '../lab/command.js';
import { FIRST_LOOK } from '../stats/looks.js';
import type { Outcome, TuneNote } from './answer.js';
import { type Endpoint, urlOf } from './endpoint.js';
import type { Standing } from './live/contest.js';
import { measureSizes } from './live/measure.js';
import type { LiveTarget } from './live/target.js';
import { progressOf, type TuneContext, type TuneQuestion } from './request.js';
import type { Window } from './sample.js';
import { openTraffic, type Traffic } from './traffic/open.js';
import type { TrafficSource } from './traffic/source.js';

export interface ServingApp {
  readonly live: LiveTarget;
  readonly endpoint: Endpoint | null;
  /** `null`: it ran already, and has real users. */
  readonly ended: Promise<CommandEnd> | null;
  readonly traffic: TrafficSource | null;
}

/** Our requests, or those of a command that sends them for us, come within this time, or not at all. */
const FIRST_REQUEST_MS = 15_000;
/** Whoever sends requests may pause for so long; then what was measured must do. */
const MOST_SILENCE_MS = 10_000;
/** A first failure may be an accident. */
const LEAST_FAILURES = 10;
const LOOK_MS = 50;
/** What ended the app is known soon after its agents have gone. */
const END_MS = 1_000;

/** @returns null when it ended well before enough was known: it is a command that ends. */
export const measureServing = (
  app: ServingApp,
  question: TuneQuestion,
  context: TuneContext,
): Promise<Outcome | null> => new Serving(app, question, context).measure();

class Serving {
  readonly #app: ServingApp;
  readonly #question: TuneQuestion;
  readonly #context: TuneContext;
  /** Aborted with an error when the measurement has failed, without one when no more requests come. */
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #traffic: Traffic | null = null;
  #hasEnded = false;
  #restarts = 0;
  #last = { requests: 0, atMs: performance.now() };

  constructor(app: ServingApp, question: TuneQuestion, context: TuneContext) {
    [this.#app, this.#question, this.#context] = [app, question, context];
    this.#signal = AbortSignal.any([context.signal, this.#over.signal]);
    void app.ended?.then(({ code, text }) => {
      this.#hasEnded = true;
      const died = `the command ended during the measurement (${text})`;
      this.#over.abort(code === 0 ? undefined : new PlimsollError('PLIMSOLL_TARGET_DIED', died));
    });
  }

  async measure(): Promise<Outcome | null> {
    try {
      await this.#openTraffic();
      await this.#firstRequest();
      return await this.#compare();
    } catch (error) {
      if (this.#app.ended !== null && error instanceof PlimsollError && error.code === 'PLIMSOLL_TARGET_DIED')
        await Promise.race([this.#app.ended, sleep(END_MS)]);
      this.#context.signal.throwIfAborted();
      this.#throwFailure();
      if (this.#hasEnded) return null;
      throw error;
    } finally {
      await this.#traffic?.close();
    }
  }

  #throwFailure(): void {
    if (this.#over.signal.reason instanceof PlimsollError) throw this.#over.signal.reason;
  }

  async #openTraffic(): Promise<void> {
    const { traffic, endpoint, live } = this.#app;
    if (traffic === null || endpoint === null) return;
    const onPause = (): void => {
      this.#restarts++;
      live.disturb();
    };
    const { guardian } = this.#context;
    this.#traffic = await openTraffic(traffic, endpoint, { guardian, signal: this.#signal, onPause });
    void this.#traffic.failed.then((error) => this.#over.abort(error));
  }

  async #firstRequest(): Promise<void> {
    const { traffic, live, endpoint } = this.#app;
    const mostMs = traffic === null ? this.#question.timeMs : FIRST_REQUEST_MS;
    const startMs = performance.now();
    const at = endpoint && urlOf(endpoint);
    while (live.requests + live.open === 0) {
      if (performance.now() - startMs > mostMs) throw this.#noRequests(mostMs);
      this.#checkTraffic();
      this.#context.onProgress(progressOf({ phase: 'waiting', at }, startMs, mostMs));
      await sleep(LOOK_MS, undefined, { signal: this.#signal });
    }
  }

  #noRequests(mostMs: number): PlimsollError {
    const { endpoint, ended } = this.#app;
    const within = `within ${Math.round(mostMs / 1000)} s`;
    const url = endpoint === null ? 'http://127.0.0.1:$PORT' : urlOf(endpoint);
    let text = `the process answered no request ${within}: it must serve requests during the measurement`;
    if (this.#traffic !== null)
      text = `the app at ${url} answered no request ${within}: ${this.#traffic.trouble()?.text ?? 'do --on-port or --url name its port and a path that it answers? (Of several ports plimsoll uses the one in the variable PORT, or the first)'}`;
    else if (ended !== null)
      text = `no request arrived ${within}: send requests to ${url} during the measurement, or let plimsoll send them, with --url /PATH or --on-port 'autocannon http://127.0.0.1:$PORT/PATH'`;
    return new PlimsollError('PLIMSOLL_NO_REQUESTS', text);
  }

  async #compare(): Promise<Outcome | null> {
    const { live, ended, endpoint } = this.#app;
    const { timeMs, sizes } = this.#question;
    const processes = live.pids.length;
    const startMs = performance.now();
    let blocks = 0;
    const onStanding = ({ results, known, ...standing }: Standing<Window>): void => {
      blocks = standing.blocks;
      this.#check(results);
      const phase = blocks === 0 ? 'warming up' : 'measuring';
      const at = endpoint && urlOf(endpoint);
      this.#context.onProgress(progressOf({ phase, at, blocks, known }, startMs, timeMs));
    };
    onStanding({ results: [], blocks, known: null });
    const asked = { ...this.#question, signal: this.#signal, isCautious: ended === null, onStanding };
    const { results, plan, ending } = await measureSizes(live, asked);
    this.#throwFailure();
    const isInterrupted = this.#context.signal.aborted;
    if (isInterrupted && results.length === 0) this.#context.signal.throwIfAborted();
    if (this.#hasEnded && !isInterrupted && blocks < FIRST_LOOK) return null;
    const stop = isInterrupted ? 'interrupted' : ending === 'settled' ? 'settled' : 'time';
    const { limit, resizing } = live.pool;
    const wanted = Math.max(...sizes);
    const trouble = this.#traffic?.trouble();
    const notes: TuneNote[] = [];
    if (limit !== null && limit < wanted) notes.push({ id: 'tune.app-sets-size', limit, wanted });
    if (this.#restarts > 0) notes.push({ id: 'tune.traffic-restarted', times: this.#restarts });
    if (trouble != null) notes.push({ id: 'tune.traffic-limited', detail: trouble.text });
    return { samples: results, plan, stop, processes, resizing, notes };
  }

  #check(windows: readonly Window[]): void {
    this.#checkTraffic();
    const failed = sum(windows.map((window) => window.failed));
    if (failed >= LEAST_FAILURES && sum(windows.map(({ completed }) => completed)) <= failed)
      throw onlyErrors(`all ${failed} requests were answered with a status of 500 or more, or not at all`);
    const { requests, open } = this.#app.live;
    const atMs = performance.now();
    if (requests > this.#last.requests || open > 0) this.#last = { requests, atMs };
    else if (atMs - this.#last.atMs > MOST_SILENCE_MS) this.#over.abort();
  }

  #checkTraffic(): void {
    const trouble = this.#traffic?.trouble();
    if (trouble?.isAll) throw onlyErrors(trouble.text);
  }
}

const onlyErrors = (text: string): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_ONLY_ERRORS',
    `${text}: errors and answers take different times, so no size can be recommended`,
  );
