import { commandOf, environmentOf } from '../host/processes.js';
import { type Listener, listenersOf } from '../host/sockets.js';

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

const INSPECT = /--inspect(?:-brk|-wait|-port)?(?:=(?:[^\s"]*:)?(\d+))?(?=[\s"]|$)/;
const INSPECTOR_PORT = 9229;

function inspectorPort(pid: number, root: string): number | null {
  const options = environmentOf(pid, root)?.('NODE_OPTIONS') ?? '';
  const asked = INSPECT.exec([...commandOf(pid, root), options].join(' '));
  return asked === null ? null : Number(asked[1] ?? INSPECTOR_PORT);
}
