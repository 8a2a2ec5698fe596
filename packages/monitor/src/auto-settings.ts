import { MOST_THREADS } from './options.js';

/** What the environment asks of `@plimsoll/monitor/auto`. */
export interface AutoSettings {
  readonly resolution: number | undefined;
  /** A warning is printed when jobs wait longer; undefined: never. In milliseconds. */
  readonly waitMs: number | undefined;
  /** Bounds of the pool's size for `rescueThreadPool()`; undefined: none. */
  readonly rescue: { readonly size: number | undefined; readonly max: number } | undefined;
  /** Where `/metrics` is served; undefined: nowhere. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** What could not be understood; the defaults hold in its place. */
  readonly complaints: readonly string[];
}

const WAIT_MS = 100;
const HOST = '127.0.0.1';
export const MOST_PORT = 65_535;

/** Reads the variables PLIMSOLL_MONITOR_…; a wrong one is no reason for an application not to start. */
export function readSettings(env: NodeJS.ProcessEnv): AutoSettings {
  const complaints: string[] = [];
  const read = <Value>(
    name: string,
    parse: (text: string) => Value | undefined,
    right: string,
  ): Value | undefined => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) complaints.push(`${name} must be ${right}, not '${text}'`);
    return value;
  };
  const resolution = read(
    'PLIMSOLL_MONITOR_RESOLUTION',
    parseResolution,
    'a whole number of milliseconds from 1 on',
  );
  const waitMs = read(
    'PLIMSOLL_MONITOR_WAIT_MS',
    parseWait,
    'a number of milliseconds, or 0 for no warnings',
  );
  const threads = (name: string) => read(name, parseThreads, 'a whole number of threads from 1 to 1024');
  const max = threads('PLIMSOLL_MONITOR_RESCUE_MAX');
  const size = threads('PLIMSOLL_MONITOR_RESCUE_SIZE');
  if (size !== undefined && max === undefined)
    complaints.push('PLIMSOLL_MONITOR_RESCUE_SIZE means nothing without PLIMSOLL_MONITOR_RESCUE_MAX');
  const listen = read('PLIMSOLL_MONITOR_LISTEN', parseAddress, 'PORT or HOST:PORT');
  return {
    ...{ resolution, waitMs: waitMs === 0 ? undefined : (waitMs ?? WAIT_MS), listen, complaints },
    rescue: max === undefined ? undefined : { size, max },
  };
}

function parseResolution(text: string): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value < 2 ** 31 ? value : undefined;
}

function parseThreads(text: string): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= MOST_THREADS ? value : undefined;
}

function parseWait(text: string): number | undefined {
  const value = Number(text);
  return value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const [, host = HOST, digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = digits === '' ? Number.NaN : Number(digits);
  return port <= MOST_PORT ? { host: host.replace(/^\[(.*)\]$/, '$1'), port } : undefined;
}
