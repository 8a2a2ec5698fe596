import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './paths.js';

/** A Node to run programs by. */
export interface NodeBinary {
  readonly version: string;
  readonly path: string;
}

interface NodeLines {
  readonly LINES: readonly number[];
  nodeOfLine(line: number | string): string;
}

const scripts = async (): Promise<NodeLines> =>
  (await import(pathToFileURL(join(ROOT, 'scripts/node-lines.mjs')).href)) as NodeLines;

export const OWN_NODE: NodeBinary = { version: process.versions.node, path: process.execPath };

/** Paths of the newest Node of every supported line; the scripts that run the tests fetch what is missing from npm. */
export async function everyPath(): Promise<string[]> {
  const { LINES, nodeOfLine } = await scripts();
  return LINES.map((line) => nodeOfLine(line));
}

/** The path of the newest Node of one line. */
export async function pathOf(line: number): Promise<string> {
  const { nodeOfLine } = await scripts();
  return nodeOfLine(line);
}

/** One older version. */
export async function nodeOf(version: string): Promise<NodeBinary> {
  const { nodeOfLine } = await scripts();
  return { version, path: nodeOfLine(version) };
}
