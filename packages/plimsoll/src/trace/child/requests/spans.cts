import context = require('../context.cjs');
import logs = require('./log.cjs');
import stamp = require('../../../target/child/stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;
type Method = (this: unknown, ...args: unknown[]) => unknown;

// What @opentelemetry/api 1 and its SDKs, 1 and 2, do in every program that has them: the global they share, the key under
// which a context holds its span, and the kinds of spans that a request from outside begins.
const API = Symbol.for('opentelemetry.js.api.1');
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
const SERVER = 1;
const CONSUMER = 4;
const ERROR = 2;

interface Span {
  readonly name?: unknown;
  readonly status?: { readonly code?: unknown };
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly end?: unknown;
}

/** Spans that are requests by themselves. */
const opens = stamp<Open>();
/** The span in whose name code is called just now; its server may be about to say that it is of HTTP. */
let entered: Open | null = null;

/** Records spans that begin a request, of an SDK that the app registers. */
function watch(log: Log): void {
  onAssigned(globalThis, API, (api) => {
    onAssigned(api, 'trace', (provider) => watchProvider(log, provider));
    onAssigned(api, 'context', watchContexts);
  });
}

/** Call when an object is first assigned to a property, which otherwise stays as it was. */
function onAssigned(owner: object, name: PropertyKey, tell: (value: object) => void): void {
  let value = Reflect.get(owner, name) as unknown;
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: true,
    get: () => value,
    set(next: unknown) {
      const isNew = next !== value;
      value = next;
      if (isNew && typeof next === 'object' && next !== null) quietly(() => tell(next));
    },
  });
}

/** Whatever another version does differently, the app must not notice. */
function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // Its spans are not recorded.
  }
}

/** Put something around a method of an object, if it has that. */
function around(owner: object, name: string, wrap: (original: Method) => Method): void {
  const original = Reflect.get(owner, name) as unknown;
  if (typeof original !== 'function') return;
  const value = wrap(original as Method);
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}

/** What is registered is a proxy, which is given the SDK's provider right after. */
function watchProvider(log: Log, proxy: object): void {
  around(
    proxy,
    'setDelegate',
    (original) =>
      function (provider, ...rest) {
        quietly(() => watchTracers(log, provider as { getTracer(name: string): object }));
        return Reflect.apply(original, this, [provider, ...rest]);
      },
  );
}

const watched = new WeakSet<object>();

/** All tracers of a provider are of one class. */
function watchTracers(log: Log, provider: { getTracer(name: string): object }): void {
  const tracers = Object.getPrototypeOf(provider.getTracer('plimsoll')) as object;
  if (tracers === Object.prototype || watched.has(tracers)) return;
  watched.add(tracers);
  around(
    tracers,
    'startSpan',
    (original) =>
      function (...args) {
        const span = Reflect.apply(original, this, args);
        quietly(() => started(log, span as Span, args));
        return span;
      },
  );
}

function started(log: Log, span: Span, [name, options]: readonly unknown[]): void {
  const kind = (options as { readonly kind?: unknown } | undefined)?.kind;
  if (kind !== SERVER && kind !== CONSUMER) return;
  const { request } = context.current();
  if (request !== 0) {
    // It is within a request that is recorded already; of a server's, it may know the route.
    const around = log.find(request);
    if (kind === SERVER && around !== undefined) around.pattern ??= () => span.attributes?.['http.route'];
    return;
  }
  const nameNow = (): string => String(span.name ?? name);
  const open = log.begin('span', 0, () => log.routes.named(nameNow()));
  if (open === null) return;
  open.pattern = () => span.attributes?.['http.route'];
  opens.put(span, open);
  around(
    span,
    'end',
    (original) =>
      function (...args) {
        // Of one over HTTP, the end of the response counts.
        if (!adopted.has(open)) log.end(open, span.status?.code === ERROR ? 'failed' : 'answered');
        return Reflect.apply(original, this, args);
      },
  );
}

/** What runs in the context of a span runs for its request. */
function watchContexts(manager: object): void {
  around(
    manager,
    'with',
    (original) =>
      function (...args) {
        const open = openOf(args[0]);
        if (open === null || open.isOver) return Reflect.apply(original, this, args);
        const before = entered;
        entered = open;
        try {
          return logs.inside(open, () => Reflect.apply(original, this, args));
        } finally {
          entered = before;
        }
      },
  );
}

function openOf(given: unknown): Open | null {
  try {
    const span = (given as { getValue(key: symbol): unknown }).getValue(SPAN);
    return typeof span === 'object' && span !== null ? (opens.get(span) ?? null) : null;
  } catch {
    return null;
  }
}

const adopted = new WeakSet<Open>();

/**
 * The span that was begun for a request over HTTP, of which its server tells only now: both are one request.
 *
 * @returns `null` when it has none.
 */
function adopt(
  log: Log,
  kind: 'http' | 'http2',
  connection: number,
  route: () => number,
  start: number,
): Open | null {
  const open = entered;
  if (open === null || open.isOver || adopted.has(open)) return null;
  adopted.add(open);
  log.table.becomes(open.number, kind, connection, start);
  open.route = route;
  return open;
}

export = { watch, adopt };
