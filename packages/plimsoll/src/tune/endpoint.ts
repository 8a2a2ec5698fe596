import { splitNodeOptions } from '../host/node-options.js';
import { commandOf, environmentOf } from '../host/processes.js';
import { type Listener, listenersOf } from '../host/sockets.js';
import { inspectorFlags } from '../target/attach.js';

export type Endpoint = Pick<Listener, 'host' | 'port'>;

/** `http://127.0.0.1:3000` */
export const urlOf = ({ host, port }: Endpoint): string => `http://${host}:${port}`;

/** The port that one of these processes listens on: the `preferred` one, else the first that was opened; not its inspector's. */
export function endpointOf(
  pids: readonly number[],
  preferred = process.env.PORT,
  root = '/',
): Endpoint | null {
  const found = pids.flatMap((pid) => {
    const inspector = inspectorPort(pid, root);
    return listenersOf(pid, root).filter(({ port }) => port !== inspector);
  });
  return found.find(({ port }) => String(port) === preferred) ?? found[0] ?? null;
}

function inspectorPort(pid: number, root: string): number {
  const options = splitNodeOptions(environmentOf(pid, root)?.('NODE_OPTIONS') ?? '');
  return inspectorFlags([...options, ...commandOf(pid, root)]).port;
}
