/** How an option is read, checked and told; by the name that it has in the function's options. */
export interface Option {
  /** As it is typed; in brackets when it is an argument; null where only the function has it. */
  readonly flag: string | null;
  readonly kind: keyof Values;
  readonly help: string;
  /** Only the command line has it. */
  readonly cli?: true;
  readonly required?: true;
  /** Bounds, in the unit of the flag: of `seconds` the function takes milliseconds. */
  readonly least?: number;
  readonly most?: number;
  readonly choices?: readonly string[];
  /** In the unit of the function. */
  readonly default?: unknown;
  /** The default in words, where it is not a constant. */
  readonly usual?: string;
  /** It means nothing without this one. */
  readonly with?: string;
  /** It contradicts these. */
  readonly without?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

export interface Values {
  flag: boolean;
  text: string;
  texts: readonly string[];
  choice: string;
  size: number;
  sizes: readonly number[];
  count: number;
  counts: readonly number[];
  number: number;
  seconds: number;
  process: number | string;
  args: readonly unknown[];
  parameters: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
}

export interface CommandTable {
  readonly summary: string;
  readonly examples: string;
  readonly exits: string;
  readonly options: Options;
}

type More = Omit<Option, 'flag' | 'kind' | 'help'>;

/** Options of a kind. @param value what is typed behind a flag; a flag that says it itself, an argument, and null stay. */
export const kindOf =
  <const Kind extends keyof Values>(kind: Kind, value = '') =>
  <const Rest extends More = object>(flag: string | null, help: string, more: Rest = {} as Rest) => ({
    ...{ flag: flag === null || /[[<]/.test(flag) ? flag : `${flag}${value}`, kind, help },
    ...more,
  });

export const flag = kindOf('flag');
export const text = kindOf('text');
export const texts = kindOf('texts');
export const choice = kindOf('choice');
export const size = kindOf('size', ' <size>');
export const sizes = kindOf('sizes', ' <list>');
export const count = kindOf('count', ' <n>');
export const number = kindOf('number');
export const seconds = kindOf('seconds', ' <seconds>');
