import { setMaxListeners } from 'node:events';
import { AbortError } from '@plimsoll/pool';
import {
  count,
  flag,
  Line,
  letGo,
  listen,
  ownOf,
  type Place,
  type Source,
  sourceOf,
  unlisten,
} from '@plimsoll/pool/internal';
import { checkRun, type FleetMapOptions, type FleetRunOptions } from '../shared/options.js';

type Run = (item: unknown, options: FleetRunOptions) => Promise<unknown>;
type Signal = FleetRunOptions['signal'];

const DEFAULT_CONCURRENCY = 64;

/**
 * @param fallback the name without one in `options`
 * @throws TypeError or RangeError for what is wrong in the options or the items
 */
export function mapOver(
  run: Run,
  fallback: string,
  items: unknown,
  options: FleetMapOptions,
): AsyncIterableIterator<unknown, undefined> {
  const { concurrency, ordered, signal, ...each } = ownOf(options);
  checkRun(fallback, { ...each, signal });
  const most = count('options.concurrency', concurrency, 1, Number.MAX_SAFE_INTEGER) ?? DEFAULT_CONCURRENCY;
  const isOrdered = flag('options.ordered', ordered) ?? true;
  return new Mapping(run, sourceOf('items', items), each, signal, most, isOrdered);
}

/** Runs a task for each item of a source, never more than so many at a time. The end of the loop cancels what is under way. */
class Mapping implements AsyncIterableIterator<unknown, undefined> {
  readonly #run: Run;
  readonly #source: Source;
  readonly #options: FleetRunOptions;
  readonly #signal: Signal;
  readonly #most: number;
  readonly #line: Line;
  readonly #tasks = new AbortController();
  readonly #onAbort = (): void => this.#abort();
  #hasBegun = false;
  #isDry = false;
  #isAsking = false;

  constructor(
    run: Run,
    source: Source,
    options: FleetRunOptions,
    signal: Signal,
    most: number,
    ordered: boolean,
  ) {
    this.#run = run;
    this.#source = source;
    this.#options = options;
    this.#signal = signal;
    this.#most = most;
    this.#line = new Line(ordered, () => this.#onEnd());
    // Each task that is under way listens.
    setMaxListeners(0, this.#tasks.signal);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    if (!this.#hasBegun) this.#begin();
    const result = this.#line.next();
    void this.#fill();
    return result;
  }

  return(): Promise<IteratorResult<unknown, undefined>> {
    this.#hasBegun = true;
    this.#line.clear();
    return this.#line.next();
  }

  #begin(): void {
    this.#hasBegun = true;
    if (this.#signal === undefined || this.#signal === null) return;
    if ((this.#signal as AbortSignal).aborted) this.#abort();
    else listen(this.#signal, this.#onAbort);
  }

  #abort(): void {
    this.#line.fail(new AbortError((this.#signal as AbortSignal).reason));
  }

  async #fill(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (!this.#isDry && this.#line.size < this.#most) this.#accept(await this.#source.next());
    } catch (error) {
      // The source has failed: what came before that comes first.
      this.#isDry = true;
      this.#settle(this.#line.take(), error, true);
    }
    this.#isAsking = false;
  }

  #accept({ done, value }: IteratorResult<unknown>): void {
    if (this.#isDry) return;
    if (done === true) {
      this.#isDry = true;
      this.#line.close();
      return;
    }
    const place = this.#line.take();
    this.#run(value, { ...this.#options, signal: this.#tasks.signal }).then(
      (result) => this.#settle(place, result, false),
      (error: unknown) => this.#settle(place, error, true),
    );
  }

  #settle(place: Place, value: unknown, isFailed: boolean): void {
    this.#line.settle(place, value, isFailed);
    if (this.#line.isAwaited) void this.#fill();
  }

  #onEnd(): void {
    if (this.#signal !== undefined && this.#signal !== null) unlisten(this.#signal, this.#onAbort);
    const isCut = !this.#isDry;
    this.#isDry = true;
    this.#tasks.abort(new AbortError(undefined, 'The loop over map() has ended'));
    if (isCut) letGo(this.#source);
  }
}
