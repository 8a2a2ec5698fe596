// Classifies the whole catalogue on every supported line of Node; writes docs/reference/classification.md.
// `--quick` does a few APIs on the Node that runs, into .cache/study-classify.
import { join } from 'node:path';
import { readOptions } from '@plimsoll/lab';
import { classificationSchema } from '@plimsoll/lab/schemas';
import { resultOf } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { everyPath } from '../common/nodes.js';
import { ROOT, scratch, writeOutput } from '../common/paths.js';
import { classificationPage } from './page.js';

const QUICK = ['fs.stat', 'dns.lookup', 'net.connect'];

export const classifyStudy: Command = {
  name: 'classify',
  async run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' } });
    const nodes = values.quick ? [process.execPath] : await everyPath();
    const command = ['classify', ...(values.quick ? QUICK : []), '--quiet'];
    const page = classificationPage(nodes.map((node) => resultOf(command, classificationSchema, node)));
    writeOutput(values.quick ? scratch('classify') : join(ROOT, 'docs/reference'), 'classification.md', page);
    return 0;
  },
};
