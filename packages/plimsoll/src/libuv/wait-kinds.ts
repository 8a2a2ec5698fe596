/** What an operation waits for, apart from the pool, when a resource of this type (async_hooks) calls back. */
const KINDS: readonly (readonly [type: RegExp, kind: string])[] = [
  [
    /^(DNSCHANNEL|QUERYWRAP|HTTP2\w+|HTTPCLIENTREQUEST|HTTPINCOMINGMESSAGE|TCP\w*WRAP|TLSWRAP|UDP\w*WRAP)$/,
    'socket',
  ],
  [/^PIPE\w*WRAP$/, 'pipe'],
  [/^TTYWRAP$/, 'terminal'],
  [/^PROCESSWRAP$/, 'process'],
  [/^SIGNALWRAP$/, 'signal'],
  [/^Timeout$/, 'timer'],
  [/^(MESSAGEPORT|WORKER)$/, 'thread'],
  [/^FSEVENTWRAP$/, 'file events'],
  // These accompany the types above or end a chain, and do not say what the operation waited for.
  [/^(SHUTDOWNWRAP|WRITEWRAP|STREAMPIPE|JSSTREAM|RESOLVER|BLOBREADER)$/, 'nothing'],
];

/** `null` for an unknown type, which may have come from the pool. */
export const waitKindOf = (type: string): string | null =>
  KINDS.find(([types]) => types.test(type))?.[1] ?? null;

export function waitKinds(callbacks: readonly string[]): string[] {
  const kinds = callbacks.flatMap((type) => waitKindOf(type) ?? []);
  return [...new Set(kinds)].filter((kind) => kind !== 'nothing');
}
