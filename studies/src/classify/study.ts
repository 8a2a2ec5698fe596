// Classifies the whole catalogue on every supported line of Node; writes docs/reference/classification.md.
// `--quick` does a few APIs on the Node that runs, into .cache/study-classify.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readOptions } from '@plimsoll/lab';
import { classificationSchema } from '@plimsoll/lab/schemas';
import { resultOf } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { ROOT, scratch, writeOutput } from '../common/paths.js';
import { classificationPage } from './page.js';

const QUICK = ['fs.stat', 'dns.lookup', 'net.connect'];

interface NodeLines {
  readonly LINES: readonly number[];
  nodeOfLine(line: number): string;
}

export const classifyStudy: Command = {
  name: 'classify',
  async run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' } });
    const nodes = values.quick ? [process.execPath] : await everyNode();
    const command = ['classify', ...(values.quick ? QUICK : []), '--quiet'];
    const page = classificationPage(nodes.map((node) => resultOf(command, classificationSchema, node)));
    writeOutput(values.quick ? scratch('classify') : join(ROOT, 'docs/reference'), 'classification.md', page);
    return 0;
  },
};

/** The scripts that run the tests know the lines and fetch what is missing. */
async function everyNode(): Promise<string[]> {
  const file = pathToFileURL(join(ROOT, 'scripts/node-lines.mjs')).href;
  const { LINES, nodeOfLine } = (await import(file)) as NodeLines;
  return LINES.map(nodeOfLine);
}
