import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom } from '../stats/random.js';
import type { TuneNote } from './answer.js';
import type { App } from './app.js';
import { type Endpoint, urlOf } from './endpoint.js';
import { Jury } from './jury.js';
import { contest, type Turn } from './live/contest.js';
import type { JudgePlan } from './plan.js';
import type { TuneProgress } from './progress.js';
import type { TuneContext, TuneRequest } from './request.js';
import { openTraffic } from './traffic/open.js';
import type { Traffic } from './traffic/traffic.js';
import type { Arm, Window } from './window.js';

/** What the windows of an app have shown. */
export interface Served {
  readonly samples: readonly Window[];
  readonly plan: JudgePlan;
  readonly stop: 'settled' | 'time' | 'interrupted';
  readonly processes: number;
  readonly notes: readonly TuneNote[];
}

/** Requests of ours, or of a command that sends them for us, come within this time, or not at all. */
const FIRST_REQUEST_MS = 15_000;
/** Caches and the compiler warm up for a share of the time, at most for so long. */
const WARM_UP_SHARE = 0.04;
const MOST_WARM_UP_MS = 2_000;
const LEAST_SPAN_MS = 250;
/** The part of a window that is not its span: the switch, and settling after it. */
const SWITCH_MS = 150;
const LOOK_MS = 50;
/** What ended the app is known soon after its agents have gone. */
const END_MS = 1_000;

/**
 * Measure an app that serves at every size, window by window, under the traffic that was asked for.
 *
 * @returns null when it ended well before enough was known: it is a command that ends.
 * @throws {PlimsollError} PLIMSOLL_NO_REQUESTS, PLIMSOLL_ONLY_ERRORS, PLIMSOLL_TRAFFIC_FAILED, PLIMSOLL_TARGET_DIED, and what
 * resizing throws.
 * @throws the reason of the signal, when it aborts before the first window has ended.
 */
export async function measureServing(
  app: App,
  endpoint: Endpoint | null,
  request: TuneRequest,
  context: TuneContext,
): Promise<Served | null> {
  const serving = new Serving(app, endpoint, request, context);
  try {
    return await serving.measure();
  } finally {
    await serving.close();
  }
}

class Serving {
  readonly #app: App;
  readonly #endpoint: Endpoint | null;
  readonly #request: TuneRequest;
  readonly #context: TuneContext;
  /** Aborts when there is no use in going on. */
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #notes: TuneNote[] = [];
  #traffic: Traffic | null = null;
  #failure: unknown = null;
  #hasEnded = false;
  #restarts = 0;

  constructor(app: App, endpoint: Endpoint | null, request: TuneRequest, context: TuneContext) {
    this.#app = app;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, this.#over.signal]);
    void app.ended.then(({ code, text }) => {
      this.#hasEnded = true;
      if (code === 0) this.#over.abort();
      else this.#fail(died(text));
    });
  }

  async measure(): Promise<Served | null> {
    try {
      await this.#openTraffic();
      await this.#firstRequest();
      const sizes = await this.#reachable();
      await this.#warmUp();
      return await this.#compare(sizes);
    } catch (error) {
      if (error instanceof PlimsollError && error.code === 'PLIMSOLL_TARGET_DIED')
        await Promise.race([this.#app.ended, sleep(END_MS)]);
      this.#context.signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure;
      if (this.#hasEnded) return null;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#traffic?.close();
  }

  async #openTraffic(): Promise<void> {
    const { traffic } = this.#request;
    if (traffic === null || this.#endpoint === null) return;
    const { guardian } = this.#context;
    const onPause = (): void => {
      this.#restarts++;
      this.#app.live.disturb();
    };
    this.#traffic = await openTraffic(traffic, this.#endpoint, { guardian, signal: this.#signal, onPause });
    void this.#traffic.failed.then((error) => this.#fail(error));
  }

  async #firstRequest(): Promise<void> {
    const mostMs = this.#request.traffic === null ? this.#request.timeMs : FIRST_REQUEST_MS;
    if (!(await this.#untilRequests(0, mostMs))) throw this.#noRequests(mostMs);
  }

  /** Wait until more requests than these have ended. @returns false when the time is over. */
  async #untilRequests(before: number, mostMs: number): Promise<boolean> {
    const startMs = performance.now();
    for (;;) {
      if (this.#app.live.requests > before) return true;
      const spentMs = performance.now() - startMs;
      if (spentMs > mostMs) return false;
      const trouble = this.#traffic?.trouble();
      if (trouble?.isAll) throw onlyErrors(trouble.text);
      this.#tell('waiting', { share: spentMs / mostMs, leftMs: mostMs - spentMs });
      await sleep(LOOK_MS, undefined, { signal: this.#signal });
    }
  }

  #noRequests(mostMs: number): PlimsollError {
    const within = `within ${Math.round(mostMs / 1000)} s`;
    const url = this.#endpoint === null ? 'http://127.0.0.1:$PORT' : urlOf(this.#endpoint);
    const trouble = this.#traffic?.trouble();
    const text =
      this.#traffic === null
        ? `no request came ${within}: send some to ${url} meanwhile, or have them sent, by --url /PATH, or --on-port 'autocannon http://127.0.0.1:$PORT/PATH'`
        : `no request was answered by the app, at ${url}, ${within}: ${trouble?.text ?? 'do --on-port or --url name its port, and a path that it answers?'}`;
    return new PlimsollError('PLIMSOLL_NO_REQUESTS', text);
  }

  /** The sizes that the pools can have, the baseline among them. */
  async #reachable(): Promise<Pick<TuneRequest, 'sizes' | 'baseline'>> {
    const { sizes, baseline } = this.#request;
    const { live } = this.#app;
    const largest = Math.max(...sizes);
    await live.resize(largest);
    const { limit } = live;
    if (limit === null || limit >= largest) return { sizes, baseline };
    this.#notes.push({ id: 'tune.app-sets-size', limit, wanted: largest });
    const least = Math.min(baseline, limit);
    const reachable = sizes.filter((size) => size <= limit);
    return { sizes: [...new Set([...reachable, least])].sort((a, b) => a - b), baseline: least };
  }

  async #warmUp(): Promise<void> {
    const mostMs = Math.min(MOST_WARM_UP_MS, WARM_UP_SHARE * this.#request.timeMs);
    this.#tell('warming up', { share: 0, leftMs: this.#request.timeMs });
    await sleep(mostMs, undefined, { signal: this.#signal });
  }

  async #compare({ sizes, baseline }: Pick<TuneRequest, 'sizes' | 'baseline'>): Promise<Served | null> {
    const { objective, seed, timeMs } = this.#request;
    const { live } = this.#app;
    const jury = new Jury({ sizes, baseline, objective, seed }, timeMs);
    const tell = (): void => this.#tell('measuring', jury.progress());
    let requestsBefore = -1;
    const { results, ending } = await contest<Arm, Window>({
      arms: [...sizes, 'twin'],
      timeMs,
      random: createRandom(seed),
      signal: this.#signal,
      measure: (turn) => this.#window(turn, baseline),
      isDisturbed: ({ disturbed }) => disturbed,
      onResult: tell,
      between: async () => {
        tell();
        // Whoever sends them has paused.
        const { leftMs } = jury.progress();
        if (!(await this.#untilRequests(requestsBefore, leftMs))) this.#over.abort();
        requestsBefore = live.requests;
      },
      judge: (windows) => {
        this.#checkAnswers(windows);
        return jury.judge(windows);
      },
    });
    if (this.#failure !== null) throw this.#failure;
    const isInterrupted = this.#context.signal.aborted;
    if (isInterrupted && results.length === 0) this.#context.signal.throwIfAborted();
    if (this.#hasEnded && !isInterrupted && jury.blocks < FIRST_LOOK) return null;
    const stop = isInterrupted ? 'interrupted' : ending === 'settled' ? 'settled' : 'time';
    this.#noteTraffic();
    return { samples: results, plan: jury.plan, stop, processes: live.pids.length, notes: this.#notes };
  }

  async #window({ mostMs, ...turn }: Turn<Arm>, baseline: number): Promise<Window> {
    const size = turn.arm === 'twin' ? baseline : turn.arm;
    const span = { leastMs: LEAST_SPAN_MS, mostMs: Math.max(LEAST_SPAN_MS, mostMs - SWITCH_MS) };
    const window = await this.#app.live.window({ ...turn, ...span, size }, this.#signal);
    const isSilent = window.completed + window.failed + window.unfinished === 0;
    return isSilent ? { ...window, disturbed: true } : window;
  }

  #checkAnswers(windows: readonly Window[]): void {
    const trouble = this.#traffic?.trouble();
    if (trouble?.isAll) throw onlyErrors(trouble.text);
    const sum = (pick: (window: Window) => number): number =>
      windows.reduce((all, one) => all + pick(one), 0);
    const failed = sum((window) => window.failed);
    if (failed > 0 && sum(({ completed }) => completed) <= failed)
      throw onlyErrors(`all ${failed} requests were answered with a status of 500 or more, or not at all`);
  }

  #noteTraffic(): void {
    if (this.#restarts > 0) this.#notes.push({ id: 'tune.traffic-restarted', times: this.#restarts });
    const trouble = this.#traffic?.trouble();
    if (trouble != null) this.#notes.push({ id: 'tune.traffic-limited', detail: trouble.text });
  }

  #fail(error: PlimsollError): void {
    this.#failure ??= error;
    this.#over.abort();
  }

  #tell(
    phase: TuneProgress['phase'],
    progress: Pick<TuneProgress, 'share' | 'leftMs'> & Partial<TuneProgress>,
  ): void {
    const at = this.#endpoint === null ? null : urlOf(this.#endpoint);
    this.#context.onProgress({ blocks: 0, known: null, ...progress, phase, at });
  }
}

const died = (how: string): PlimsollError =>
  new PlimsollError('PLIMSOLL_TARGET_DIED', `the command ended while it was measured (${how})`);

const onlyErrors = (text: string): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_ONLY_ERRORS',
    `${text}: an error takes another time than an answer, and no size can be told from it`,
  );
