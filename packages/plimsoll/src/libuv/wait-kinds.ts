/** What an operation waits for when a resource of this type (async_hooks) calls it back, the pool left aside. */
const KINDS: Readonly<Record<string, string>> = {
  DNSCHANNEL: 'socket',
  QUERYWRAP: 'socket',
  HTTP2PING: 'socket',
  HTTP2SESSION: 'socket',
  HTTP2SETTINGS: 'socket',
  HTTP2STREAM: 'socket',
  HTTPCLIENTREQUEST: 'socket',
  HTTPINCOMINGMESSAGE: 'socket',
  TCPCONNECTWRAP: 'socket',
  TCPSERVERWRAP: 'socket',
  TCPWRAP: 'socket',
  TLSWRAP: 'socket',
  UDPSENDWRAP: 'socket',
  UDPWRAP: 'socket',
  PIPECONNECTWRAP: 'pipe',
  PIPESERVERWRAP: 'pipe',
  PIPEWRAP: 'pipe',
  TTYWRAP: 'terminal',
  PROCESSWRAP: 'process',
  SIGNALWRAP: 'signal',
  Timeout: 'timer',
  MESSAGEPORT: 'thread',
  WORKER: 'thread',
  FSEVENTWRAP: 'file events',
};

/** Resources that accompany the ones above, or the end of a chain; they say nothing about what was waited for. */
const COMPANIONS = new Set(['SHUTDOWNWRAP', 'WRITEWRAP', 'STREAMPIPE', 'JSSTREAM', 'RESOLVER', 'BLOBREADER']);

/** `null` for a type that none of the known waits explains: it may have come from the pool. */
export function waitKindOf(type: string): string | null {
  return KINDS[type] ?? (COMPANIONS.has(type) ? 'nothing' : null);
}

/** What the resources that called back waited for, without repetitions. */
export function waitKinds(callbacks: readonly string[]): string[] {
  const kinds = callbacks.flatMap((type) => waitKindOf(type) ?? []);
  return [...new Set(kinds)].filter((kind) => kind !== 'nothing');
}
