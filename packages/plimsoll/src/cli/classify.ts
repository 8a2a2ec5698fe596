import type { Command } from 'commander';
import { catalogue, entriesNamed, missingNames } from '../classify/catalogue/catalogue.js';
import { type ClassifyOptions, classify } from '../classify/classify.js';
import { PlimsollError } from '../errors.js';
import { classificationReport } from '../report/classification.js';
import { classifyProgressText } from '../report/progress.js';
import { terminalStyle } from '../report/style.js';
import { classifyExitCode } from './exit-code.js';
import { openJsonOutput } from './json-output.js';
import { parseArgs, parseTarget } from './targets.js';
import { withTools } from './tools.js';
import { parsePositive } from './values.js';

const DEADLINE_SECONDS = 5;

interface ClassifyFlags {
  args: string;
  explain?: string;
  deadline: string;
  json?: string;
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
      String(DEADLINE_SECONDS),
    )
    .option('--json <file>', 'write the result as JSON; - for standard output')
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

function readOptions(names: readonly string[], flags: ClassifyFlags): ClassifyOptions {
  const args = parseArgs(flags.args);
  const wanted = [...new Set(flags.explain === undefined ? names : [...names, flags.explain])];
  const targets = wanted.flatMap((name) => parseTarget(name, args) ?? []);
  const named = wanted.filter((name) => !targets.some((target) => target.name === name)).flatMap(entriesOf);
  return {
    entries: wanted.length === 0 ? catalogue : [...new Set(named)],
    targets,
    deadlineMs: parsePositive(flags.deadline, '--deadline', 3600) * 1000,
  };
}

function entriesOf(name: string): (typeof catalogue)[number][] {
  const entries = entriesNamed(name);
  if (entries.length > 0) return [...entries];
  if (missingNames.includes(name))
    throw new PlimsollError('PLIMSOLL_USAGE', `${name} is not in Node ${process.versions.node}`);
  const similar = catalogue.filter((entry) => entry.name.toLowerCase().includes(name.toLowerCase()));
  const known =
    name !== '' && similar.length > 0
      ? `did you mean ${similar.map((entry) => entry.name).join(', ')}?`
      : `the catalogue has ${[...new Set(catalogue.map((entry) => entry.name.split('.')[0]))].join(', ')}`;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `unknown API ${JSON.stringify(name)}; ${known}; a function of yours is PATH#export`,
  );
}

async function runClassify(names: readonly string[], flags: ClassifyFlags): Promise<number> {
  const options = readOptions(names, flags);
  const json = openJsonOutput(flags.json);
  return withTools([flags.json], flags.quiet === true, async ({ people, progress, guardian, signal }) => {
    const result = await classify(options, guardian, signal, (state) => {
      const tenth = String(Math.floor((state.done / state.all) * 10));
      if (state.done < state.all) progress.show(tenth, (width) => classifyProgressText(state, width));
    });
    progress.clear();
    json?.write(result);
    people.write(`${classificationReport(result, terminalStyle(people), flags.explain !== undefined)}\n`);
    return classifyExitCode(result);
  });
}
