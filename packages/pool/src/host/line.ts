/** A place in a line: what stands there comes later. */
export interface Place {
  readonly generation: number;
  /** Nothing comes here or after it. */
  isLast: boolean;
  isSettled: boolean;
  isFailed: boolean;
  value: unknown;
  next: Place | undefined;
}

type Given = IteratorResult<unknown, undefined>;

interface Waiter {
  resolve(result: Given): void;
  reject(reason: unknown): void;
}

const DONE: Given = { done: true, value: undefined };

/**
 * What an async iterator gives, in the order in which places were taken or in that in which they are settled. It ends with the
 * first reason that somebody gets. Makes a promise for each who asks, and nothing else.
 */
export class Line {
  /** Places that were taken, and whose values nobody has got yet. */
  size = 0;
  /** Places of an earlier one are out of the line. */
  #generation = 0;
  /** No further places come. */
  #isClosed = false;
  #hasEnded = false;
  #first: Place | undefined;
  #last: Place | undefined;
  readonly #waiters: Waiter[] = [];
  readonly #isOrdered: boolean;
  readonly #onEnd: () => void;

  /** @param onEnd is called once, when nobody will get anything more. */
  constructor(isOrdered: boolean, onEnd: () => void) {
    this.#isOrdered = isOrdered;
    this.#onEnd = onEnd;
  }

  take(): Place {
    const generation = this.#generation;
    const place: Place = {
      generation,
      isLast: false,
      isSettled: false,
      isFailed: false,
      value: undefined,
      next: undefined,
    };
    this.size++;
    if (this.#isOrdered) this.#append(place);
    return place;
  }

  #append(place: Place): void {
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }

  settle(place: Place, value: unknown, isFailed: boolean): void {
    if (place.isSettled || place.generation !== this.#generation) return;
    place.isSettled = true;
    place.value = value;
    place.isFailed = isFailed;
    if (!this.#isOrdered) this.#append(place);
    this.#serve();
  }

  /** What is in the line before a place still comes, and nothing else. */
  endAt(place: Place): void {
    if (place.isSettled || place.generation !== this.#generation) return;
    place.isLast = true;
    this.#isClosed = true;
    this.settle(place, undefined, false);
    this.#endIfOver();
  }

  /** What is in the line still comes, and nothing else. */
  close(): void {
    this.#isClosed = true;
    this.#serve();
    this.#endIfOver();
  }

  /** Nothing of what is in the line comes. */
  clear(): void {
    this.#drop();
    this.close();
  }

  #drop(): void {
    this.#generation++;
    this.#first = undefined;
    this.#last = undefined;
    this.size = 0;
  }

  /** Nothing of what is in the line comes, but a reason. */
  fail(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#drop();
    this.#isClosed = true;
    this.settle(this.take(), reason, true);
  }

  /** The value of the next place, once it is there. */
  next(): Promise<Given> {
    if (this.#waiters.length === 0) {
      const first = this.#ready();
      if (first !== undefined) return this.#given(first);
      if (this.#isOver) return Promise.resolve(DONE);
    }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Somebody asks for more than there is. */
  get isAwaited(): boolean {
    return this.#waiters.length > 0;
  }

  get #isOver(): boolean {
    return this.#isClosed && this.size === 0;
  }

  /** The first place, if its value is there; it leaves the line. */
  #ready(): Place | undefined {
    const first = this.#first;
    if (first === undefined || !first.isSettled) return undefined;
    if (first.isLast) {
      this.#drop();
      return undefined;
    }
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.size--;
    return first;
  }

  #given({ isFailed, value }: Place): Promise<Given> {
    if (isFailed) {
      this.clear();
      return Promise.reject(value);
    }
    this.#endIfOver();
    return Promise.resolve({ done: false, value });
  }

  #serve(): void {
    while (this.#waiters.length > 0) {
      const first = this.#ready();
      if (first === undefined && !this.#isOver) return;
      const waiter = this.#waiters.shift() as Waiter;
      if (first === undefined) waiter.resolve(DONE);
      else if (!first.isFailed) waiter.resolve({ done: false, value: first.value });
      else {
        waiter.reject(first.value);
        this.clear();
      }
    }
    this.#endIfOver();
  }

  #endIfOver(): void {
    if (this.#hasEnded || !this.#isOver) return;
    this.#hasEnded = true;
    this.#onEnd();
  }
}
