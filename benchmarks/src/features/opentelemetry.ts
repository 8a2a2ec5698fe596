// The least of an SDK of OpenTelemetry, for the host and for workers: the active context, and W3C trace context between them.
import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

const storage = new AsyncLocalStorage<api.Context>();

export function registerContext(): void {
  const manager: api.ContextManager = {
    active: () => storage.getStore() ?? api.ROOT_CONTEXT,
    with: (active, run, self, ...args) => storage.run(active, () => run.apply(self as never, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  api.context.setGlobalContextManager(manager);
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}

export { api };
