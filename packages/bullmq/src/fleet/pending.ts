/** A task that this process waits for. */
export interface Pending {
  readonly id: string;
  readonly name: string;
  readonly submittedAt: number;
  /** Others may have submitted the same job: `jobId`. */
  readonly isShared: boolean;
  /** Its bytes are in a key beside the job. */
  readonly isLarge: boolean;
  /** Redis has it. */
  isAdded: boolean;
  isSettled: boolean;
  /** By its signal, its timeout or `close()`. */
  isCancelled: boolean;
  /** When it was submitted, or Redis was asked for it. */
  lookedAt: number;
  /** How often Redis did not know its job. */
  misses: number;
  /** Of its signal and its timeout. */
  unwatch(): void;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
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
