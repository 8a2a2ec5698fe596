import { type OpenTelemetryApi, type Span, STATUS_ERROR } from '../../shared/otel-api.js';
import { isError, messageOf } from '../../shared/untrusted.js';

/** A span of OpenTelemetry for each task, and what carries its context to the worker. */
export class Spans {
  readonly #api: OpenTelemetryApi;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
  }

  start(name: string, filename: string): Span {
    // Asked for each time: an SDK may be registered after the pool was made.
    const tracer = this.#api.trace.getTracer('@plimsoll/pool');
    const attributes = { 'code.function.name': name, 'code.file.path': filename };
    return tracer.startSpan(`pool.run ${name}`, { attributes });
  }

  /** What the worker needs to go on with the trace; undefined: nothing is to be propagated. */
  carrierOf(span: Span): Record<string, string> | undefined {
    const { trace, context, propagation } = this.#api;
    const carrier: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), carrier);
    return Object.keys(carrier).length === 0 ? undefined : carrier;
  }

  /** @param failure why the task was rejected, if it was */
  end(span: Span, failure?: { readonly error: unknown }): void {
    if (failure !== undefined) {
      const { error } = failure;
      if (isError(error)) span.recordException(error);
      span.setStatus({ code: STATUS_ERROR, message: messageOf(error) });
    }
    span.end();
  }
}
