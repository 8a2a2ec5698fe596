import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from '../collections/sum.js';
import { PlimsollError } from '../errors.js';
import type { CommandEnd } from '../lab/command.js';
import { FIRST_LOOK } from '../stats/looks.js';
import type { Outcome, TuneNote } from './answer.js';
import { type Endpoint, urlOf } from './endpoint.js';
import type { Judgement } from './judge.js';
import { measureSizes } from './live/measure.js';
import type { LiveTarget } from './live/target.js';
import { spentOf, type TuneContext, type TuneProgress, type TuneQuestion } from './request.js';
import type { Window } from './sample.js';
import { openTraffic, type TrafficSource } from './traffic/open.js';
import type { Traffic } from './traffic/traffic.js';

export interface ServingApp {
  readonly live: LiveTarget;
  readonly endpoint: Endpoint | null;
  readonly ended: Promise<CommandEnd> | null;
  readonly traffic: TrafficSource | null;
}

/** Requests of ours, or of a command that sends them for us, come within this time, or not at all. */
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
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #traffic: Traffic | null = null;
  #failure: unknown = null;
  #hasEnded = false;
  #restarts = 0;
  #lastRequests = 0;
  #lastRequestMs = performance.now();

  constructor(app: ServingApp, question: TuneQuestion, context: TuneContext) {
    this.#app = app;
    this.#question = question;
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, this.#over.signal]);
    void app.ended?.then(({ code, text }) => {
      this.#hasEnded = true;
      if (code === 0) this.#over.abort();
      else this.#fail(died(text));
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
      if (this.#failure !== null) throw this.#failure;
      if (this.#hasEnded) return null;
      throw error;
    } finally {
      await this.#traffic?.close();
    }
  }

  async #openTraffic(): Promise<void> {
    const { traffic, endpoint } = this.#app;
    if (traffic === null || endpoint === null) return;
    const { guardian } = this.#context;
    const onPause = (): void => {
      this.#restarts++;
      this.#app.live.disturb();
    };
    this.#traffic = await openTraffic(traffic, endpoint, { guardian, signal: this.#signal, onPause });
    void this.#traffic.failed.then((error) => this.#fail(error));
  }

  async #firstRequest(): Promise<void> {
    const mostMs = this.#app.traffic === null ? this.#question.timeMs : FIRST_REQUEST_MS;
    const startMs = performance.now();
    while (this.#app.live.requests + this.#app.live.open === 0) {
      const spentMs = performance.now() - startMs;
      if (spentMs > mostMs) throw this.#noRequests(mostMs);
      const trouble = this.#traffic?.trouble();
      if (trouble?.isAll) throw onlyErrors(trouble.text);
      this.#tell('waiting', { share: spentMs / mostMs, leftMs: mostMs - spentMs });
      await sleep(LOOK_MS, undefined, { signal: this.#signal });
    }
  }

  #noRequests(mostMs: number): PlimsollError {
    const within = `within ${Math.round(mostMs / 1000)} s`;
    const url = this.#app.endpoint === null ? 'http://127.0.0.1:$PORT' : urlOf(this.#app.endpoint);
    const trouble = this.#traffic?.trouble();
    if (this.#app.ended === null)
      return new PlimsollError(
        'PLIMSOLL_NO_REQUESTS',
        `the process answered no request ${within}: it must serve requests during the measurement`,
      );
    const text =
      this.#traffic === null
        ? `no request arrived ${within}: send requests to ${url} during the measurement, or let plimsoll send them, with --url /PATH or --on-port 'autocannon http://127.0.0.1:$PORT/PATH'`
        : `the app at ${url} answered no request ${within}: ${trouble?.text ?? 'do --on-port or --url name its port and a path that it answers? (Of several ports plimsoll uses the one in the variable PORT, or the first)'}`;
    return new PlimsollError('PLIMSOLL_NO_REQUESTS', text);
  }

  async #compare(): Promise<Outcome | null> {
    const { timeMs } = this.#question;
    const { live } = this.#app;
    const { resizing } = await live.state();
    const processes = live.pids.length;
    const startMs = performance.now();
    let blocks = 0;
    let known: Judgement | null = null;
    const tell = (): void =>
      this.#tell(blocks === 0 ? 'warming up' : 'measuring', { blocks, known, ...spentOf(startMs, timeMs) });
    tell();
    const { results, plan, ending } = await measureSizes(live, {
      ...this.#question,
      signal: this.#signal,
      isCautious: this.#app.ended === null,
      onWindow: (windows) => {
        this.#check(windows);
        tell();
      },
      onBlock: (judgement) => {
        known = judgement;
        blocks++;
        tell();
      },
    });
    if (this.#failure !== null) throw this.#failure;
    const isInterrupted = this.#context.signal.aborted;
    if (isInterrupted && results.length === 0) this.#context.signal.throwIfAborted();
    if (this.#hasEnded && !isInterrupted && blocks < FIRST_LOOK) return null;
    const stop = isInterrupted ? 'interrupted' : ending === 'settled' ? 'settled' : 'time';
    return { samples: results, plan, stop, processes, resizing, notes: this.#notes() };
  }

  #check(windows: readonly Window[]): void {
    const trouble = this.#traffic?.trouble();
    if (trouble?.isAll) throw onlyErrors(trouble.text);
    const failed = sum(windows.map((window) => window.failed));
    if (failed >= LEAST_FAILURES && sum(windows.map(({ completed }) => completed)) <= failed)
      throw onlyErrors(`all ${failed} requests were answered with a status of 500 or more, or not at all`);
    const { requests, open } = this.#app.live;
    const now = performance.now();
    if (requests > this.#lastRequests || open > 0)
      [this.#lastRequests, this.#lastRequestMs] = [requests, now];
    else if (now - this.#lastRequestMs > MOST_SILENCE_MS) this.#over.abort();
  }

  #notes(): TuneNote[] {
    const notes: TuneNote[] = [];
    const { limit } = this.#app.live;
    const wanted = Math.max(...this.#question.sizes);
    if (limit !== null && limit < wanted) notes.push({ id: 'tune.app-sets-size', limit, wanted });
    if (this.#restarts > 0) notes.push({ id: 'tune.traffic-restarted', times: this.#restarts });
    const trouble = this.#traffic?.trouble();
    if (trouble != null) notes.push({ id: 'tune.traffic-limited', detail: trouble.text });
    return notes;
  }

  #fail(error: PlimsollError): void {
    this.#failure ??= error;
    this.#over.abort();
  }

  #tell(
    phase: TuneProgress['phase'],
    progress: Pick<TuneProgress, 'share' | 'leftMs'> & Partial<TuneProgress>,
  ): void {
    const at = this.#app.endpoint === null ? null : urlOf(this.#app.endpoint);
    this.#context.onProgress({ blocks: 0, known: null, ...progress, phase, at });
  }
}

const died = (how: string): PlimsollError =>
  new PlimsollError('PLIMSOLL_TARGET_DIED', `the command ended during the measurement (${how})`);

const onlyErrors = (text: string): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_ONLY_ERRORS',
    `${text}: errors and answers take different times, so no size can be recommended`,
  );
