import { type ParseArgsConfig, parseArgs } from 'node:util';
import { usage } from '../../packages/plimsoll/dist/errors.js';

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
