import type { Driver } from '../driver.js';
import { api, registerContext } from '../opentelemetry.js';
import { fact, judge, type Outcome } from '../outcome.js';

interface MadeSpan {
  readonly own: api.SpanContext;
  readonly parent: api.SpanContext | undefined;
  ended: boolean;
}

const hex = (digits: number, seed: number): string => String(seed).padStart(digits, '1');

/** Notes the spans that are made. */
function registerTracer(): MadeSpan[] {
  const spans: MadeSpan[] = [];
  const startSpan = (_name: string, _options?: api.SpanOptions, active = api.context.active()) => {
    const parent = api.trace.getSpan(active)?.spanContext();
    const id = spans.length + 1;
    const own = { traceId: parent?.traceId ?? hex(32, id), spanId: hex(16, id), traceFlags: 1 };
    const span: MadeSpan = { own, parent, ended: false };
    spans.push(span);
    const self = {
      spanContext: () => own,
      end: () => {
        span.ended = true;
      },
    };
    const nothing = () => self;
    return Object.assign(self, { setAttribute: nothing, setAttributes: nothing, setStatus: nothing });
  };
  const provider = { getTracer: () => ({ startSpan }) };
  api.trace.setGlobalTracerProvider(provider as unknown as api.TracerProvider);
  return spans;
}

/** @param open its tasks have `activeSpan`, which gives the ids of the span that is active in the worker */
export async function spans(open: (module: typeof api) => Driver): Promise<Outcome> {
  registerContext();
  const made = registerTracer();
  const pool = open(api);
  const caller = api.trace.getTracer('probe').startSpan('caller');
  const active = api.trace.setSpan(api.context.active(), caller);
  const seen = (await api.context.with(active, () => pool.submit('activeSpan'))) as
    | Partial<api.SpanContext>
    | undefined;
  const own = made.find(({ parent }) => parent?.spanId === caller.spanContext().spanId);
  return judge(
    [
      fact(
        own?.ended === true,
        'the task has a span, a child of the span of its caller',
        'the task has no span',
      ),
    ],
    [
      fact(
        seen?.traceId === caller.spanContext().traceId && seen.spanId === own?.own.spanId,
        'in the worker it is the active one',
        'in the worker there is nothing of its trace',
      ),
    ],
  );
}
