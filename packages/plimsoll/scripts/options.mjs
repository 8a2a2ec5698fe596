// Writes the tables of options into docs/reference, out of src/api/options.ts: `npm run docs:options`, after a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '../dist/api/options.js';
import { defaultOf, meaningOf } from '../dist/cli/command-line.js';

/** @typedef {import('../dist/api/option.js').Option} Option */
/** @typedef {keyof typeof COMMANDS} Name */

export const COMMAND_NAMES = /** @type {Name[]} */ (Object.keys(COMMANDS));

/** @param {Name} name */
export const pageOf = (name) => new URL(`../../../docs/reference/${name}.md`, import.meta.url);

const TABLE = /^\| option \| meaning \| default \|\n(?:\|.*\n)+/m;

/** The table that a page has. @param {string} text */
export const tableIn = (text) => TABLE.exec(text)?.[0];

/** The table that the page of a command is to have. @param {Name} name */
export function optionTable(name) {
  /** @type {import('../dist/api/option.js').Options} */
  const options = COMMANDS[name].options;
  const typed = Object.values(options).filter(({ flag }) => flag?.startsWith('-'));
  const rows = typed.map((option) =>
    `| ${flagOf(option)} | ${meaningOf(option, options)} | ${defaultOf(option)} |`.replaceAll('  ', ' '),
  );
  return `| option | meaning | default |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** `-c`, `--connections N`: what is put in is in capitals. @param {Option} option */
const flagOf = ({ flag }) =>
  (flag ?? '')
    .split(', ')
    .map((part) => `\`${part.replace(/<([^>]*)>/, (_, value) => value.toUpperCase())}\``)
    .join(', ');

/** The JSON Schema of what each command's function takes. */
export function optionsSchema() {
  const commands = Object.entries(COMMANDS).map(([name, { summary, options }]) => {
    /** @type {[string, Option][]} */
    const rows = Object.entries(options);
    const taken = rows.filter(([, { cli }]) => !cli);
    return [
      name,
      {
        type: 'object',
        description: summary,
        properties: Object.fromEntries(taken.map(([key, option]) => [key, schemaOf(option)])),
        required: taken.flatMap(([key, { required }]) => (required ? [key] : [])),
      },
    ];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description: 'Options of the commands as functions',
    $defs: Object.fromEntries(commands),
  };
}

const SIZE = { type: 'integer', minimum: 1, maximum: 1024 };

/** @param {Option} option */
function schemaOf({ kind, help, least = 0, most, choices, default: usual }) {
  /** @type {Record<string, object>} */
  const types = {
    flag: { type: 'boolean' },
    texts: { type: 'array', items: { type: 'string' } },
    choice: { enum: choices },
    size: SIZE,
    sizes: { type: 'array', items: SIZE, minItems: 1 },
    count: { type: 'integer', minimum: least, maximum: most },
    counts: { type: 'array', items: { type: 'integer', minimum: least, maximum: most }, minItems: 1 },
    number: { type: 'number', exclusiveMinimum: 0, maximum: most },
    seconds: { type: 'number', exclusiveMinimum: 0, maximum: (most ?? 0) * 1000 },
    process: { type: ['integer', 'string'] },
    args: { type: 'array' },
    parameters: { type: 'object' },
  };
  const unit = kind === 'seconds' ? '; in milliseconds' : '';
  const type = types[kind] ?? { type: 'string' };
  return {
    ...type,
    description: `${help.replaceAll('`', '')}${unit}`,
    ...(usual === undefined ? {} : { default: usual }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of COMMAND_NAMES) {
    const page = pageOf(name);
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(TABLE, () => optionTable(name)),
    );
  }
