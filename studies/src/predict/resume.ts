import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What an interrupted study had finished: a file beside its other scratch files. */
export class Finished {
  readonly #file: string;
  readonly #results: Map<string, unknown>;

  /** @param conditions under which results may stand beside each other; those of others are not seen. */
  constructor(directory: string, conditions: unknown) {
    const key = createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, 12);
    this.#file = join(directory, 'resume', `${key}.json`);
    this.#results = new Map(
      existsSync(this.#file) ? Object.entries(JSON.parse(readFileSync(this.#file, 'utf8')) as object) : [],
    );
  }

  /** @returns what was kept under a name, or else does the work and keeps what it returns. */
  async once<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#results.has(name)) {
      process.stderr.write(`${name}: measured before the study was interrupted\n`);
      return this.#results.get(name) as Result;
    }
    const result = await work();
    this.#results.set(name, result);
    mkdirSync(dirname(this.#file), { recursive: true });
    // Never half a file, whenever we are ended.
    writeFileSync(`${this.#file}.part`, JSON.stringify(Object.fromEntries(this.#results)));
    renameSync(`${this.#file}.part`, this.#file);
    return result;
  }

  /** The study is over. */
  clear(): void {
    rmSync(this.#file, { force: true });
  }
}

const BUILT = dirname(fileURLToPath(import.meta.resolve('plimsoll')));
const PREDICTING = ['advise', 'model', 'trace', 'libuv', 'stats'];

/** Changes with what predicts: results of another model are not those of this one. */
export function digestOfModel(): string {
  const hash = createHash('sha256');
  for (const floor of PREDICTING)
    for (const file of readdirSync(join(BUILT, floor), { recursive: true, encoding: 'utf8' }).sort())
      if (/\.c?js$/.test(file)) hash.update(readFileSync(join(BUILT, floor, file)));
  return hash.digest('hex').slice(0, 12);
}
