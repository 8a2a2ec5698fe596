import { fits, RESOLUTION, threadsFrom } from './options.js';

/** The settings of `@plimsoll/monitor/auto`, from environment variables. */
export interface AutoSettings {
  readonly resolution: number | undefined;
  /** Milliseconds that a job may wait before a warning; undefined: no warnings. */
  readonly waitMs: number | undefined;
  /** Options for `rescueThreadPool()`; undefined: no rescue. */
  readonly rescue: { readonly size: number | undefined; readonly max: number } | undefined;
  /** The address that serves `/metrics`; undefined: none. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** Describes each invalid variable; its default applies. */
  readonly complaints: readonly string[];
}

const WAIT_MS = 100;
const HOST = '127.0.0.1';
export const MAX_PORT = 65_535;

/** Reads the variables PLIMSOLL_MONITOR_…; an invalid one must not keep the application from starting. */
export function readSettings(env: NodeJS.ProcessEnv): AutoSettings {
  const complaints: string[] = [];
  const read = <Value>(
    name: string,
    expected: string,
    parse: (text: string) => Value | undefined,
  ): Value | undefined => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) complaints.push(`${name} must be ${expected}, not '${text}'`);
    return value;
  };
  const number = (name: string, rule: Parameters<typeof fits>[1]): number | undefined =>
    read(name, rule[0], (text) => (fits(Number(text), rule) ? Number(text) : undefined));
  const resolution = number('PLIMSOLL_MONITOR_RESOLUTION', RESOLUTION);
  const waitMs = number('PLIMSOLL_MONITOR_WAIT_MS', [
    'a number of milliseconds, or 0 for no warnings',
    ...([0, Number.MAX_VALUE] as const),
  ]);
  const max = number('PLIMSOLL_MONITOR_RESCUE_MAX', threadsFrom(1));
  const size = number('PLIMSOLL_MONITOR_RESCUE_SIZE', threadsFrom(1));
  if (size !== undefined && max === undefined)
    complaints.push('PLIMSOLL_MONITOR_RESCUE_SIZE has no effect without PLIMSOLL_MONITOR_RESCUE_MAX');
  const listen = read('PLIMSOLL_MONITOR_LISTEN', 'PORT or HOST:PORT', parseAddress);
  return {
    ...{ resolution, waitMs: waitMs === 0 ? undefined : (waitMs ?? WAIT_MS), listen, complaints },
    rescue: max === undefined ? undefined : { size, max },
  };
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const [, host = HOST, digits] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  return port <= MAX_PORT ? { host: host.replace(/^\[(.*)\]$/, '$1'), port } : undefined;
}
