import type { ContenderName } from './contenders.js';
import { PEERS, USUAL } from './contenders.js';
import type { Setup } from './setup.js';

/** One row of the table. */
export interface Row {
  readonly setup: Setup;
  readonly line: number;
  readonly contenders: readonly ContenderName[];
}

export interface Selection {
  /** Parts of `group name`; none: all. */
  readonly filters: readonly string[];
  readonly only: readonly ContenderName[] | null;
  readonly fast: boolean;
}

export function rowsOf(setups: readonly Setup[], { filters, only, fast }: Selection): Row[] {
  return setups
    .filter((setup) => !fast || setup.fast)
    .filter((setup) => filters.length === 0 || filters.some((text) => titleOf(setup).includes(text)))
    .flatMap((setup) =>
      (setup.lines ?? [20]).map((line) => ({
        setup,
        line,
        contenders: (setup.contenders ?? USUAL).filter((name) => only === null || only.includes(name)),
      })),
    )
    .filter(({ contenders }) => contenders.length > 0);
}

const titleOf = ({ group, name }: Setup): string => `${group} · ${name}`;

export const installOf = ({ install, group }: Setup): string => install ?? group;

/**
 * What each install holds: the packages of all its set-ups, whichever of them run, so that it is made once, and the peers.
 *
 * @throws when two set-ups of an install ask for different versions.
 */
export function installsOf(setups: readonly Setup[]): Map<string, Record<string, string>> {
  const installs = new Map<string, Record<string, string>>();
  for (const setup of setups) {
    const name = installOf(setup);
    const packages = installs.get(name) ?? { ...PEERS };
    installs.set(name, packages);
    for (const [one, version] of Object.entries(setup.packages)) {
      const other = packages[one] ?? version;
      if (other !== version)
        throw new Error(
          `${titleOf(setup)}: the install ${JSON.stringify(name)} has ${one} ${other}, not ${version}; name another install`,
        );
      packages[one] = version;
    }
  }
  return installs;
}
