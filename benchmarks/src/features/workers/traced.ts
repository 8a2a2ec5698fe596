import { api, registerContext } from '../opentelemetry.js';

registerContext();

export async function activeSpan(): Promise<{ traceId: string; spanId: string } | undefined> {
  await null;
  const found = api.trace.getActiveSpan()?.spanContext();
  return found && { traceId: found.traceId, spanId: found.spanId };
}
