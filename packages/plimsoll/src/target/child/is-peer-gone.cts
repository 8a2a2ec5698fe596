import type { Socket } from 'node:net';

/** How the peer's going away shows in the error of a socket. */
const PEER_GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/** Whether a connection was closed by the client, rather than by the program. */
const isPeerGone = ({ errored, readableEnded }: Socket): boolean =>
  readableEnded || PEER_GONE.has((errored as NodeJS.ErrnoException | null)?.code);

export = isPeerGone;
