import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = join(EXAMPLES, '../node_modules');

/** A folder outside of the repository, as a visitor has one: the packages are installed, and examples are copied into it. */
export class Outside {
  readonly directory = mkdtempSync(join(tmpdir(), 'plimsoll-examples-'));

  constructor() {
    symlinkSync(MODULES, join(this.directory, 'node_modules'), 'junction');
  }

  /** Copies an example, and gives its new place. */
  copy(name: string, as = name): string {
    const place = join(this.directory, as);
    cpSync(join(EXAMPLES, name), place, { recursive: true });
    return place;
  }
}

/** What `npx NAME` would run, were the packages installed from npm. */
export const BINS: Readonly<Record<string, string>> = {
  tsc: join(MODULES, 'typescript/bin/tsc'),
  plimsoll: join(MODULES, 'plimsoll/dist/cli/main.js'),
};
