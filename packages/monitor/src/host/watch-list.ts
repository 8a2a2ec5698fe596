import type { ToWorker, WatchNews, WatchOptions } from '../shared/messages.js';

/** What a callback of `onSaturation()` is told. */
export interface SaturationEvent {
  /** Whether it begins; false: it is over. */
  readonly saturated: boolean;
  /** The wait that decided it, in milliseconds; of a job that still waits, how long it has waited so far. */
  readonly waitMs: number;
}

interface Entry {
  readonly options: WatchOptions;
  readonly callback: (event: SaturationEvent) => void;
  saturated: boolean;
}

/** The callbacks of `onSaturation()`, whether or not a Worker watches for them at present. */
export class WatchList {
  readonly #entries = new Map<number, Entry>();
  #nextId = 0;

  get options(): WatchOptions[] {
    return [...this.#entries.values()].map(({ options }) => options);
  }

  /** @returns what ends it */
  add(
    wait: number,
    period: number,
    callback: (event: SaturationEvent) => void,
    post: (message: ToWorker) => void,
  ): () => void {
    const options = { id: this.#nextId++, wait, period };
    this.#entries.set(options.id, { options, callback, saturated: false });
    post({ add: options });
    return () => {
      if (this.#entries.delete(options.id)) post({ remove: options.id });
    };
  }

  tell({ id, saturated, wait }: WatchNews): void {
    const entry = this.#entries.get(id);
    // It was removed while the news were under way.
    if (entry === undefined) return;
    entry.saturated = saturated;
    entry.callback({ saturated, waitMs: wait / 1e6 });
  }

  /** Nobody watches any more: what began is over, as far as anybody knows. */
  end(): void {
    for (const { options, saturated } of this.#entries.values())
      if (saturated) this.tell({ id: options.id, saturated: false, wait: 0 });
  }
}
