import { now } from '@plimsoll/pool/internal';

/** A task that this process waits for. */
export class Pending {
  readonly submittedAt = now();
  /** Redis has it. */
  isAdded = false;
  isSettled = false;
  /** By its signal, its timeout or `close()`. */
  isCancelled = false;
  /** When it was submitted, or Redis was asked for it. */
  lookedAt = this.submittedAt;
  /** How often Redis did not know its job. */
  misses = 0;
  /** Of its signal and its timeout. */
  unwatch = (): void => {};

  /**
   * @param isShared others may have submitted the same job: `jobId`
   * @param isLarge its bytes are in a key beside the job
   */
  constructor(
    readonly id: string,
    readonly name: string,
    readonly isShared: boolean,
    readonly isLarge: boolean,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
  ) {}
}

/** The tasks that this process waits for, by the ids of their jobs. */
export class PendingTasks {
  readonly #byId = new Map<string, Set<Pending>>();
  #size = 0;
  #onEmpty: (() => void) | undefined;

  get size(): number {
    return this.#size;
  }

  add(task: Pending): void {
    const same = this.#byId.get(task.id);
    if (same === undefined) this.#byId.set(task.id, new Set([task]));
    else same.add(task);
    this.#size++;
  }

  of(id: string): readonly Pending[] {
    return [...(this.#byId.get(id) ?? [])];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  all(): Pending[] {
    return [...this.#byId.values()].flatMap((tasks) => [...tasks]);
  }

  remove(task: Pending): void {
    const same = this.#byId.get(task.id);
    if (!same?.delete(task)) return;
    if (same.size === 0) this.#byId.delete(task.id);
    if (--this.#size === 0) this.#onEmpty?.();
  }

  /** Resolves when there are none. */
  empty(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
  }
}
