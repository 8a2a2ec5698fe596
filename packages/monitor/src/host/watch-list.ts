import type { ToWorker, WatchNews, WatchOptions } from '../shared/messages.js';

/** Passed to callbacks of `onSaturation()`. */
export interface SaturationEvent {
  /** True when saturation begins, false when it ends. */
  readonly saturated: boolean;
  /** The deciding wait in milliseconds; for a job still waiting, its wait so far. */
  readonly waitMs: number;
}

interface Entry {
  readonly options: WatchOptions;
  readonly callback: (event: SaturationEvent) => void;
  saturated: boolean;
}

/** The callbacks of `onSaturation()`, with or without a running Worker. */
export class WatchList {
  readonly #entries = new Map<number, Entry>();
  #nextId = 0;

  get options(): WatchOptions[] {
    return [...this.#entries.values()].map(({ options }) => options);
  }

  /** @returns a function that removes the callback */
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

  notify({ id, saturated, wait }: WatchNews): void {
    const entry = this.#entries.get(id);
    // Removed while the message was on its way.
    if (entry === undefined) return;
    entry.saturated = saturated;
    entry.callback({ saturated, waitMs: wait / 1e6 });
  }

  /** The Worker has stopped: ends every saturation that it had reported. */
  end(): void {
    for (const { options, saturated } of this.#entries.values())
      if (saturated) this.notify({ id: options.id, saturated: false, wait: 0 });
  }
}
