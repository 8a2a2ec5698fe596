/** The used parts of `@opentelemetry/api`, so that its types need not be installed. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: unknown;
  readonly context: {
    active(): unknown;
    with<Result>(context: unknown, callback: () => Result): Result;
  };
  readonly propagation: {
    inject(context: unknown, carrier: Record<string, string>): void;
    extract(context: unknown, carrier: Readonly<Record<string, string>>): unknown;
  };
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { attributes: Record<string, string> }): Span;
    };
    setSpan(context: unknown, span: Span): unknown;
  };
  readonly metrics: { getMeter(name: string): unknown };
}

export interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** SpanStatusCode.ERROR. */
export const STATUS_ERROR = 2;

const NAME = '@opentelemetry/api';

/** Loads the API as one of these files would. All its copies share one state, so any copy will do. */
export function findOpenTelemetry(
  files: readonly (string | null | undefined)[],
): OpenTelemetryApi | undefined {
  const { createRequire } = process.getBuiltinModule('node:module');
  for (const file of files) {
    if (typeof file !== 'string') continue;
    try {
      return createRequire(file)(NAME) as OpenTelemetryApi;
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}
