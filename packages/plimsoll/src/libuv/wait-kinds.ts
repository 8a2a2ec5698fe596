/** What an operation waits for when a resource of this type (async_hooks) calls it back, the pool left aside. */
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
  // They accompany the ones above, or the end of a chain, and say nothing about what was waited for.
  [/^(SHUTDOWNWRAP|WRITEWRAP|STREAMPIPE|JSSTREAM|RESOLVER|BLOBREADER)$/, 'nothing'],
];

/** `null` for a type that none of the known waits explains: it may have come from the pool. */
export const waitKindOf = (type: string): string | null =>
  KINDS.find(([types]) => types.test(type))?.[1] ?? null;

/** What the resources that called back waited for, without repetitions. */
export function waitKinds(callbacks: readonly string[]): string[] {
  const kinds = callbacks.flatMap((type) => waitKindOf(type) ?? []);
  return [...new Set(kinds)].filter((kind) => kind !== 'nothing');
}
