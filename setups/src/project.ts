import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Place } from './command.js';
import { type Contender, PEERS } from './contenders.js';
import { copyFolder } from './copy-folder.js';
import { npmRegistry } from './npm.js';
import type { Content, Setup } from './setup.js';

/** What a project is made of. */
export interface Materials {
  /** The folder of an install, or none for a project that needs no more than the pool. */
  readonly install: string | null;
  /** Our pool as packed, and the same unpacked. */
  readonly tarball: string;
  readonly pool: string;
  /** Whether the pool is linked instead of copied: nothing is packed or unpacked for a fast test. */
  readonly linked?: true;
}

/** A project in a temporary folder: what a user has after `npm install`. */
export class Project {
  /** The temporary directory, and the project's folder in it. */
  readonly root: string;
  readonly folder: string;
  /** The node that it runs on, and its line. */
  readonly node: string;
  readonly line: number;
  readonly #materials: Materials;
  readonly #bare: boolean;
  readonly #temporary: string;

  /** @param directory an empty temporary directory, which the project has to itself. */
  constructor(directory: string, setup: Setup, node: { path: string; line: number }, materials: Materials) {
    this.root = realpathSync(directory);
    this.folder = join(this.root, setup.folder ?? 'project');
    this.#temporary = join(this.root, 'tmp');
    this.node = node.path;
    this.line = node.line;
    this.#materials = materials;
    this.#bare = setup.bare ?? false;
    mkdirSync(this.#temporary);
  }

  /** The path of a program that a package brings, a JavaScript file: `[project.node, project.bin('jest')]`. */
  bin(name: string): string {
    const place = this.#bare ? (this.#materials.install as string) : this.folder;
    return join(place, 'node_modules', '.bin', name);
  }

  /** The contender as a dependency in a package.json, for package managers that install by themselves. */
  dependency({ package: name }: Contender): Record<string, string> {
    return name.startsWith('@plimsoll/')
      ? { '@plimsoll/pool': `file:${this.#materials.tarball}` }
      : { [name]: PEERS[name] as string };
  }

  /** The registry that npm is configured for. */
  get registry(): string {
    return npmRegistry();
  }

  write(setup: Setup, contender: Contender): void {
    const files = { 'package.json': PACKAGE, ...setup.files(contender, this) };
    mkdirSync(this.folder);
    if (!this.#bare) this.#addModules();
    for (const [path, content] of Object.entries(files)) writeContent(join(this.folder, path), content);
  }

  /** Where and with which environment its commands run: the tools' temporary files stay in the project's directory. */
  place({ guardian, signal }: Pick<Place, 'guardian' | 'signal'>): Place {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)),
    ) as Record<string, string>;
    const path = [dirname(this.node), env.PATH ?? ''].join(delimiter);
    return {
      cwd: this.folder,
      env: { ...env, PATH: path, TMPDIR: this.#temporary, NO_COLOR: '1' },
      guardian,
      signal,
    };
  }

  #addModules(): void {
    const { install, pool, linked } = this.#materials;
    const modules = join(this.folder, 'node_modules');
    if (install !== null) copyFolder(join(install, 'node_modules'), modules);
    const ours = join(modules, '@plimsoll/pool');
    mkdirSync(dirname(ours), { recursive: true });
    if (linked) symlinkSync(pool, ours, 'junction');
    else copyFolder(pool, ours);
  }
}

const PACKAGE = `${JSON.stringify({ name: 'project', private: true, type: 'module' }, null, 2)}\n`;

/** Belongs to the run of this program, and would change what a tool does. */
const FOREIGN =
  /^(NODE_(OPTIONS|PATH|ENV|TEST_CONTEXT|CHANNEL_\w+)$|npm_(lifecycle|package|command|execpath|node_execpath)|INIT_CWD$|FORCE_COLOR$|CI$)/;

function writeContent(path: string, content: Content): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string') writeFileSync(path, content);
  else symlinkSync(content.link, path, existsSync(join(dirname(path), content.link)) ? null : 'file');
}
