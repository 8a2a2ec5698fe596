import type { Command } from 'commander';
import { CLASSIFY_DEADLINE_MS, classify } from '../api/classify.js';
import type { ClassifyProgress } from '../classify/classify.js';
import { classificationReport } from '../report/classify.js';
import { reportPage } from '../report/html/page.js';
import { classifyProgressText } from '../report/progress.js';
import { runCommand } from './command-run.js';
import { classifyExitCode } from './exit-code.js';
import { parseArgs, parsePositive } from './values.js';

interface ClassifyFlags {
  args: string;
  explain?: string;
  deadline: string;
  json?: string;
  html?: string;
  quiet?: boolean;
}

/** `plimsoll classify`: arguments in, exit code out. */
export function addClassifyCommand(program: Command): void {
  program
    .command('classify')
    .description('decide by experiment which APIs, or functions of yours, use the pool')
    .argument('[name...]', 'APIs (fs, fs.stat, dns.lookup …), or PATH#export (default: the whole catalogue)')
    .option('--args <json>', 'arguments of PATH#export, a JSON array', '[]')
    .option('--explain <name>', 'say why, for this one')
    .option(
      '--deadline <seconds>',
      'an operation that takes longer with nothing blocked never completes',
      String(CLASSIFY_DEADLINE_MS / 1000),
    )
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (names: string[], flags: ClassifyFlags) => {
      process.exitCode = await runClassify(names, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll classify                                       the whole catalogue, as two lists and more
  $ plimsoll classify dns fetch                             some APIs of it
  $ plimsoll classify --explain fetch.name                  why, and how to do without the pool
  $ plimsoll classify ./work.mjs#hash                       a function of yours
  $ plimsoll classify bcrypt#hash --args '["secret", 10]'   a function of a package

Exit codes: 0 fine, 2 bad input, 3 unclear, 4 an operation failed or never completed, 130 interrupted`;

function runClassify(names: readonly string[], flags: ClassifyFlags): Promise<number> {
  const options = {
    names: flags.explain === undefined ? names : [...names, flags.explain],
    args: parseArgs(flags.args),
    deadlineMs: parsePositive(flags.deadline, '--deadline', 3600) * 1000,
  };
  return runCommand(flags, async ({ progress, signal, finish }) => {
    const onProgress = (state: ClassifyProgress): void => {
      const tenth = String(Math.floor((state.done / state.all) * 10));
      if (state.done < state.all) progress.show(tenth, (width) => classifyProgressText(state, width));
    };
    const result = await classify(options, { signal, onProgress });
    finish(
      { json: result, html: () => reportPage([{ type: 'classification', document: result }]) },
      (style) => classificationReport(result, style, flags.explain !== undefined),
    );
    return classifyExitCode(result);
  });
}
