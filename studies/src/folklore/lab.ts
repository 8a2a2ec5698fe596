import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Classification, diffPoolThreads, record, type ThreadInfo, usage } from '@plimsoll/lab';
import { classificationSchema } from '@plimsoll/lab/schemas';
import { resultOf } from '../common/cli.js';
import type { LifeCycle } from '../common/command.js';
import { everyPath, type NodeBinary, nodeOf, OWN_NODE } from '../common/nodes.js';
import type { Effort } from '../common/study.js';
import { NotHere } from './claim.js';
import type { Cell, Counted } from './result.js';

/** A program that has not ended after so long hangs. */
const DEADLINE_MS = 30_000;
/** Of `read-files`. */
const READS = 100;
const COUNT = fileURLToPath(new URL('./programs/count.cjs', import.meta.url));

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly options?: readonly string[];
  /** Command that it is started through. */
  readonly prefix?: readonly string[];
}

/** What one Node shows in one case. */
export type Observe = (node: NodeBinary) => Promise<Cell>;

export interface Run {
  /** What it printed, as JSON; `null` when nothing. */
  readonly said: unknown;
  /** Pool threads of its processes, in the order of their ids. */
  readonly pools: readonly number[];
}

/** Runs the small programs that decide claims, and counts their pool threads. */
export class Lab {
  readonly effort: Effort;
  readonly cycle: LifeCycle;
  readonly nodes: readonly NodeBinary[];
  readonly #directory: string;
  #runs = 0;

  private constructor(effort: Effort, cycle: LifeCycle, nodes: readonly NodeBinary[]) {
    this.effort = effort;
    this.cycle = cycle;
    this.nodes = nodes;
    this.#directory = cycle.guardian.temporaryDirectory();
  }

  /**
   * In a quick run with the Node that runs this, otherwise with the newest of every supported line.
   *
   * @throws {PlimsollError} PLIMSOLL_USAGE where threads cannot be counted.
   */
  static async open(effort: Effort, cycle: LifeCycle): Promise<Lab> {
    if (process.platform !== 'linux') throw usage('threads are counted in /proc: this study needs Linux');
    const paths = effort === 'quick' ? [] : await everyPath();
    const nodes = paths.map((path) => ({ path, version: versionOf(path) }));
    return new Lab(effort, cycle, effort === 'quick' ? [OWN_NODE] : nodes);
  }

  /** The nodes, and before them older versions that differ; those are left out of a quick run. */
  async nodesAnd(...versions: string[]): Promise<NodeBinary[]> {
    if (this.effort === 'quick') return [...this.nodes];
    const older = await Promise.all(versions.map(nodeOf));
    return [...this.nodes, ...older].sort((a, b) => compareVersions(a.version, b.version));
  }

  /** A file for a program to read. */
  file(name: string, text: string): string {
    const path = join(this.#directory, name);
    writeFileSync(path, text);
    return path;
  }

  /** FIFOs, which open(2) waits at. @throws {NotHere} */
  fifos(count: number): string[] {
    const folder = this.folder();
    const fifos = Array.from({ length: count }, (_, index) => join(folder, `fifo-${index}`));
    if (spawnSync('mkfifo', fifos).status !== 0) throw new NotHere('FIFOs cannot be made here');
    return fifos;
  }

  folder(): string {
    const folder = join(this.#directory, `run-${this.#runs++}`);
    mkdirSync(folder);
    return folder;
  }

  /** @throws {Error} when it fails or hangs. */
  async run(
    node: NodeBinary,
    program: string,
    { args = [], env = {}, options = [], prefix = [] }: RunOptions = {},
  ): Promise<Run> {
    const counts = this.folder();
    const [command = '', ...rest] = [
      ...prefix,
      node.path,
      ...options,
      '--require',
      COUNT,
      programFile(program),
      ...args,
    ];
    const { UV_THREADPOOL_SIZE: _, UV_USE_IO_URING: _ring, NODE_OPTIONS: _options, ...clean } = process.env;
    const stdout = await output(command, rest, {
      cwd: counts,
      env: { ...clean, ...env, FOLKLORE_COUNTS: counts },
      signal: this.cycle.signal,
    });
    const files = readdirSync(counts).filter((name) => name.endsWith('.json'));
    const pools = files
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map((name) => JSON.parse(readFileSync(join(counts, name), 'utf8')) as Record<string, ThreadInfo[]>)
      .map(({ before = [], after = [] }) => diffPoolThreads(before, after).length);
    return { said: stdout === '' ? null : (JSON.parse(stdout) as unknown), pools };
  }

  /** Observes how many pool threads a program has, the first of its processes. */
  pool(program: string, options?: RunOptions): Observe {
    return async (node) => (await this.run(node, program, options)).pools[0] ?? null;
  }

  /** A row for each case, a cell for each node. */
  async count(
    what: string,
    cases: readonly (readonly [name: string, observe: Observe])[],
    nodes: readonly NodeBinary[] = this.nodes,
  ): Promise<Counted> {
    const rows: { case: string; cells: Cell[] }[] = [];
    for (const [name, observe] of cases) {
      const cells: Cell[] = [];
      for (const node of nodes) cells.push(await observe(node));
      rows.push({ case: name, cells });
    }
    return { what, nodes: nodes.map(({ version }) => version), rows };
  }

  /** Jobs of the pool that reading a file takes, as `plimsoll trace` records them. */
  async jobsPerRead(node: string, how: string, file: string): Promise<number> {
    const command = [node, programFile('read-files.cjs'), how, file];
    const { processes } = await record(command, { stdout: 'nowhere' }, this.cycle);
    return Math.round((processes[0]?.jobs.length ?? 0) / READS);
  }

  /** What `plimsoll classify` says of APIs, or of one function of a module. */
  classify(targets: readonly string[]): Counted {
    const results = this.nodes.map(({ path }) =>
      resultOf(['classify', ...targets, '--quiet'], classificationSchema, path),
    );
    return classified(results);
  }
}

function classified(results: readonly Classification[]): Counted {
  const names = [...new Set(results.flatMap((result) => result.results.map(({ name }) => name)))];
  const cellOf = (result: Classification, name: string): Cell => {
    const found = result.results.find((one) => one.name === name);
    return found === undefined ? null : `${found.verdict}${found.slowIo ? ' ½' : ''}`;
  };
  return {
    what: 'what `plimsoll classify` says',
    nodes: results.map(({ environment }) => environment.node.version),
    rows: names.map((name) => ({ case: name, cells: results.map((result) => cellOf(result, name)) })),
  };
}

const programFile = (name: string): string => fileURLToPath(new URL(`./programs/${name}`, import.meta.url));

function versionOf(path: string): string {
  return spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index] ?? 0;
    if (part !== other) return part - other;
  }
  return 0;
}

/** @throws {Error} with what it said, when it fails or hangs. */
function output(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { ...options, timeout: DEADLINE_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${args.at(-1)}: ${stderr.trim() || error.message}`));
      },
    );
  });
}
