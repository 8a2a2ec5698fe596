// `npm run bench:pool`: arguments in, exit code out. 0 measured, 2 bad input, 4 our own pool failed, 130 interrupted.
import { openJsonOutput, PlimsollError, terminalStyle } from '@plimsoll/lab';
import { type Arguments, HELP, readArguments } from './arguments.js';
import { benchCrossover } from './crossover/bench.js';
import { exitCodeOf, measureOrders } from './measure.js';
import { writePage } from './page.js';
import { caseReport } from './report/terminal.js';
import { readArguments as readShapesArguments, HELP as SHAPES_HELP } from './shapes/arguments.js';
import { benchShapes } from './shapes/bench.js';

async function benchCases(args: Arguments): Promise<number> {
  const json = openJsonOutput(args.json);
  // With the JSON on standard output, everything for people goes to standard error.
  const people = args.json === '-' ? process.stderr : process.stdout;
  // A file or a pipe has room for every column.
  const style = { ...terminalStyle(people), width: people.columns ?? 200 };
  let code = 0;
  for await (const result of measureOrders([args], (one) => people.write(`${caseReport(one, style)}\n`))) {
    json?.write(result);
    if (args.page !== null && !result.interrupted) writePage(args.page, result);
    code = exitCodeOf(result);
  }
  return code;
}

async function main([first = '', ...rest]: readonly string[]): Promise<number> {
  if (first === 'shapes') {
    const args = await readShapesArguments(rest);
    if (args !== null) return benchShapes(args);
    process.stdout.write(SHAPES_HELP);
    return 0;
  }
  if (first === 'crossover') return benchCrossover(rest);
  const args = readArguments(process.argv.slice(2));
  if (args !== null) return benchCases(args);
  process.stdout.write(HELP);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PlimsollError)) throw error;
  process.stderr.write(`bench:pool: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
