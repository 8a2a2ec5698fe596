import { badType } from '@plimsoll/pool/internal';

type Call = (...items: unknown[]) => Promise<unknown>;

/** An object whose every member is a function that calls the task of that name with the list of its arguments. */
export function proxyOf(callOf: (name: string) => Call): object {
  const known = new Map<string, Call>();
  return new Proxy(Object.freeze(Object.create(null)) as object, {
    get(_target, name) {
      // A thenable would be called by whoever awaits the proxy.
      if (typeof name !== 'string' || name === 'then') return undefined;
      const call = known.get(name) ?? callOf(name);
      known.set(name, call);
      return call;
    },
  });
}

/** @throws TypeError for options that each call gives itself */
export function refuseOwn(options: object): void {
  for (const name of ['name', 'jobId'] as const) {
    const value: unknown = (options as Record<string, unknown>)[name];
    if (value !== undefined) throw badType(`options.${name}`, value, 'left out: a proxy has many calls');
  }
}
