import type { Output } from './command.js';
import type { Contender, ContenderName } from './contenders.js';
import type { Project } from './project.js';

/** What a file of a project holds, or where a symbolic link leads. */
export type Content = string | { readonly link: string };

export interface Command {
  readonly argv: readonly [string, ...string[]];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** 20 seconds unless told. */
  readonly timeoutMs?: number;
}

/** One way to write, build and run a program with a worker pool, as its users do. */
export interface Setup {
  readonly group: string;
  /** Unique in its group; names the row. */
  readonly name: string;
  /** npm name -> exact version, beside the contender itself. */
  readonly packages: Readonly<Record<string, string>>;
  /** Set-ups that name the same install share it, so their packages must fit together. Default: the group. */
  readonly install?: string;
  /** Default: `USUAL`. */
  readonly contenders?: readonly ContenderName[];
  /** Part of `npm test`: needs nothing installed but the contender itself, and takes a second or two. */
  readonly fast?: true;
  /** The lines of Node that it runs on, each a row; default `[20]`. */
  readonly lines?: readonly number[];
  /** The name of the project's folder; default `project`. */
  readonly folder?: string;
  /** The project starts without `node_modules`: its own package manager installs. */
  readonly bare?: true;
  /** Dated prose for the page, where the cells do not explain themselves. */
  readonly note?: string;

  /** The project's files by path; a package.json with `"type": "module"` is there unless it brings its own. */
  files(contender: Contender, project: Project): Readonly<Record<string, Content>>;
  /** What to run in the project's folder, one after another until one fails. */
  commands(contender: Contender, project: Project): readonly Command[];
  /**
   * Says why it does not work, `undefined` when it works. Default: every command exits with 0, and the last one prints
   * a line `RIGHT`, which a program does when it has compared what came back.
   */
  check?(outputs: readonly Output[]): string | undefined;
}
