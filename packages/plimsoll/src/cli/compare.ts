import type { Command } from 'commander';
import { compare } from '../api/compare.js';
import { comparisonMarkdown, comparisonReport } from '../report/compare.js';
import { runCommand } from './command-run.js';
import { compareExitCode } from './exit-code.js';

interface CompareFlags {
  markdown?: boolean;
  json?: string;
}

/** `plimsoll compare`: arguments in, exit code out. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('is a new result of bench or load worse than an old one? for CI')
    .argument('<old>', 'JSON of plimsoll bench or plimsoll load')
    .argument('<new>', 'another one of the same kind, from the same machine')
    .option('--markdown', 'the report in Markdown, for a comment of a pull request')
    .option('--json <file>', 'write the comparison as JSON; - for standard output')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (old: string, now: string, flags: CompareFlags) => {
      process.exitCode = await runCompare(old, now, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll bench ./work.mjs --sizes 4 --json new.json
  $ plimsoll compare main.json new.json
  $ plimsoll compare main.json new.json --markdown >> "$GITHUB_STEP_SUMMARY"

Exit codes: 0 same or better, 1 worse, 2 bad input, 3 cannot tell`;

const runCompare = (old: string, now: string, flags: CompareFlags): Promise<number> =>
  runCommand(flags, async ({ finish }) => {
    const result = compare(old, now);
    finish({ json: result }, (style) =>
      flags.markdown === true ? comparisonMarkdown(result) : comparisonReport(result, style),
    );
    return compareExitCode(result);
  });
