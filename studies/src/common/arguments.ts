import { type ParseArgsConfig, parseArgs } from 'node:util';
import { usage } from './command.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<Known extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: boolean; options: Known }>
>;

/** `parseArgs` with its complaints as usage errors. @throws {PlimsollError} PLIMSOLL_USAGE */
export function readOptions<const Known extends Options>(
  args: readonly string[],
  options: Known,
  allowPositionals = false,
): Parsed<Known> {
  try {
    return parseArgs({ args: [...args], allowPositionals, options });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

/** A number above 0. @throws {PlimsollError} PLIMSOLL_USAGE */
export function positive(text: string | undefined, option: string, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (value > 0 && Number.isFinite(value)) return value;
  throw usage(`${option}: must be a number above 0, not ${JSON.stringify(text)}`);
}
