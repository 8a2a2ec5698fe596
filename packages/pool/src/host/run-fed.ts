import { FED } from '../shared/calls.js';
import type { Core } from './core.js';
import { type FedParcel, fedParcel } from './feed.js';
import type { RunOptions } from './options.js';
import { type Checked, check, handlerOf, ownOf, submit, transferOf } from './run-with.js';

/** Runs a task that is an async iterable. @throws on bad options */
export function runFed(core: Core, given: unknown, options: RunOptions): Promise<unknown> {
  const own = ownOf(options);
  const transfer = transferOf(own);
  const checked = check(core, own);
  return submitFed(core, fedParcel([given], transfer, given), checked, FED);
}

/** Submits a task, and lets go of its feeds when it is over. */
export async function submitFed(
  core: Core,
  parcel: FedParcel,
  checked: Checked,
  call: number,
): Promise<unknown> {
  try {
    return await submit(core, parcel, handlerOf(core, checked, call), checked);
  } finally {
    parcel.close();
  }
}
