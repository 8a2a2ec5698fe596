import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Guardian } from '@plimsoll/lab';
import { type Output, runCommand } from './command.js';
import type { Contender } from './contenders.js';
import { npmRegistry } from './npm.js';
import { type Materials, Project } from './project.js';
import type { Cell } from './result.js';
import type { Setup } from './setup.js';
import { succeeded, verdict, withoutPlaces } from './verdict.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).slice(0, -1);

export interface CellPlan {
  readonly setup: Setup;
  readonly contender: Contender;
  readonly node: { readonly path: string; readonly line: number };
  readonly materials: Materials;
}

export interface CellSurroundings {
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
  /** Where the whole output of a cell that fails is kept; `null`: nowhere. */
  readonly failures: string | null;
  /** Whether the project stays when a cell fails, for somebody who looks into it. */
  readonly keep: boolean;
}

/** Makes the project, runs its commands, judges what they printed, removes the project. */
export async function runCell(plan: CellPlan, surroundings: CellSurroundings): Promise<Cell> {
  const { guardian, keep } = surroundings;
  const directory = keep ? mkdtempSync(join(tmpdir(), 'plimsoll-setup-')) : guardian.temporaryDirectory();
  let cell: Cell = null;
  try {
    cell = await judge(plan, surroundings, directory);
    return cell;
  } finally {
    if (!keep) guardian.remove(directory);
    else if (cell === null) rmSync(directory, { recursive: true });
    else process.stderr.write(`kept: ${directory}\n`);
  }
}

async function judge(plan: CellPlan, surroundings: CellSurroundings, directory: string): Promise<Cell> {
  const { setup, contender, node, materials } = plan;
  const project = new Project(directory, setup, node, materials);
  project.write(setup, contender);
  const outputs: Output[] = [];
  for (const command of setup.commands(contender, project)) {
    const output = await runCommand(command, project.place(surroundings));
    outputs.push(output);
    if (!succeeded(output)) break;
  }
  const why = verdict(setup, outputs);
  if (why === undefined) return null;
  if (surroundings.failures !== null) writeFailure(surroundings.failures, plan, outputs);
  return withoutPlaces(why, [project.root, root, homedir(), npmRegistry()]);
}

function writeFailure(
  folder: string,
  { setup, contender, node }: CellPlan,
  outputs: readonly Output[],
): void {
  mkdirSync(folder, { recursive: true });
  const name = `${setup.group} ${setup.name} ${node.line} ${contender.name}`.replaceAll(/[^\w.]+/g, '-');
  const text = outputs.map(
    ({ argv, stdout, stderr, exitCode, signal, timedOut, ms }) =>
      `$ ${argv.join(' ')}\n${stdout}${stderr}\n` +
      `exit code ${exitCode}, signal ${signal}, ${Math.round(ms)} ms${timedOut ? ', ended by the time limit' : ''}\n`,
  );
  writeFileSync(join(folder, `${name}.log`), text.join('\n'));
}
