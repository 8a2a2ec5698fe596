import { Command, CommanderError, Option as Flag } from 'commander';
import pc from 'picocolors';
import type { Option, Options } from '../api/option.js';
import { COMMANDS, type CommandName, type TypedOptions } from '../api/options.js';
import { checkTogether, readValue } from '../api/values.js';
import { PlimsollError } from '../errors.js';
import { printable } from '../host/printable.js';

const ARGUMENT = /^[[<](.*?)(?:\.\.\.)?[\]>]$/;
const isRepeatable = ({ kind }: Option): boolean => kind === 'texts' || kind === 'parameters';

/** `--time` of `-t, --time <seconds>`, `size` of `<size>`. */
export const flagName = ({ flag }: Option, key: string): string =>
  flag === null ? key : (ARGUMENT.exec(flag)?.[1] ?? /--[a-z-]+/.exec(flag)?.[0] ?? key);

export function meaningOf(option: Option, options: Options): string {
  const companion = option.with === undefined ? undefined : options[option.with];
  return [
    ...(companion === undefined ? [] : [`with \`${flagName(companion, '')}\`: `]),
    option.help,
    ...(isRepeatable(option) && !ARGUMENT.test(option.flag ?? '') ? ['; may be repeated'] : []),
  ].join('');
}

export function defaultOf({ usual, kind, default: value }: Option): string {
  if (usual !== undefined) return usual;
  if (value === undefined || value === false || JSON.stringify(value) === '{}') return '';
  if (kind === 'seconds') return String(Number(value) / 1000);
  return kind === 'args' ? JSON.stringify(value) : String(value);
}

export function commandOf(name: CommandName): Command {
  const { summary, options: table, examples, exits } = COMMANDS[name];
  const options: Options = table;
  const command = new Command(`plimsoll ${name}`).description(summary).exitOverride();
  for (const option of Object.values(options)) {
    if (option.flag === null) continue;
    const usual = defaultOf(option);
    const text = `${meaningOf(option, options)}${usual === '' ? '' : ` (default: ${usual})`}`.replaceAll(
      '`',
      '',
    );
    if (ARGUMENT.test(option.flag)) command.argument(option.flag, text);
    else {
      const flag = new Flag(option.flag, text).makeOptionMandatory(option.required === true);
      if (isRepeatable(option)) flag.argParser((value, before: string[] = []) => [...before, value]);
      command.addOption(flag);
    }
  }
  return command.addHelpText('after', `\nExamples:${examples}\n\nExit codes: ${exits}`);
}

function readOptions<Name extends CommandName>(name: Name, command: Command): TypedOptions<Name> {
  const options: Options = COMMANDS[name].options;
  const given = command.opts() as Record<string, string | readonly string[] | boolean | undefined>;
  const words = [...command.args];
  const read = Object.entries(options).flatMap(([key, option]): [string, unknown][] => {
    const { flag } = option;
    if (flag === null) return [];
    if (ARGUMENT.test(flag)) {
      const texts = flag.includes('...') ? words.splice(0) : words.splice(0, 1);
      return texts.length === 0 ? [] : [argument(options, key, option, texts)];
    }
    const value = given[new Flag(flag).attributeName()];
    if (value === undefined || typeof value === 'boolean') return [[key, value]];
    return [[key, readValue(option, [value].flat(), flagName(option, key))]];
  });
  const values = Object.fromEntries(read);
  checkTogether(options, values, (key) => flagName(options[key] as Option, key));
  return values as TypedOptions<Name>;
}

/** One number in place of a command is a PID. */
function argument(
  options: Options,
  key: string,
  option: Option,
  texts: readonly string[],
): [string, unknown] {
  const isPid =
    key === 'command' && options.pid !== undefined && texts.length === 1 && /^\d+$/.test(texts[0] ?? '');
  return isPid
    ? ['pid', readValue(options.pid as Option, texts, 'PID')]
    : [key, readValue(option, texts, flagName(option, key))];
}

export async function runCommandLine(name: CommandName, words: readonly string[]): Promise<number> {
  const command = commandOf(name).configureOutput({
    outputError: (text, write) => write(withAdvice(name, words, text.replace(/^error: /, 'plimsoll: '))),
  });
  try {
    command.parse([...words], { from: 'user' });
    const options = readOptions(name, command);
    const { run } = (await import(`./${name}.js`)) as { run(given: typeof options): Promise<number> };
    return await run(options);
  } catch (error) {
    // Commander has printed its own message by now; help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof PlimsollError)) throw error;
    process.stderr.write(`${pc.red('plimsoll:')} ${printable(error.message)}\n`);
    return error.exitCode;
  }
}

/** The options of a command to run are taken for plimsoll's own without the two dashes. */
function withAdvice(name: CommandName, words: readonly string[], text: string): string {
  const runs = 'command' in COMMANDS[name].options;
  return !/unknown option/.test(text) || !runs || words.includes('--')
    ? text
    : `${text.trimEnd()}; put -- before the command: plimsoll ${name} -- node app.js\n`;
}
