import type { Packed } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { findOpenTelemetry, type OpenTelemetryApi } from '../shared/otel-api.js';
import { storageOf } from '../shared/stores.js';
import type { Channel } from './channel.js';

/** Makes `fn` take a `Packed`, and run in the async context and the trace that the task carries. */
export function carriedBy(channel: Channel, filename: string, fn: (task: unknown) => unknown) {
  return (packed: unknown): unknown => {
    const { task, context, trace, notice } = packed as Packed;
    let call = (): unknown => fn(task);
    if (trace !== undefined) call = traced(filename, trace, call);
    for (const [name, store] of Object.entries(context ?? {})) call = inStore(name, store, call);
    if (notice !== undefined) channel.post(['started', notice, now()]);
    return call();
  };
}

/** Stores of storages that the worker file has not registered are ignored. */
function inStore(name: string, store: unknown, call: () => unknown): () => unknown {
  const storage = storageOf(name);
  return storage === undefined ? call : () => storage.run(store, call);
}

let api: OpenTelemetryApi | null | undefined;

function traced(
  filename: string,
  trace: Readonly<Record<string, string>>,
  call: () => unknown,
): () => unknown {
  api ??= findOpenTelemetry([filename, process.cwd().concat('/')]) ?? null;
  if (api === null) return call;
  const { context, propagation, ROOT_CONTEXT } = api;
  const remote = propagation.extract(ROOT_CONTEXT, trace);
  return () => context.with(remote, call);
}
