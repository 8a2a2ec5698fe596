import type { Environment } from '../host/environment.js';
import type { Finding } from '../results/finding.js';
import type { Bar } from './flame.js';

export type Tone = 'good' | 'bad' | 'unsure' | 'pool' | 'soft' | 'strong';

/** Texts may come from other programs: back ends escape them, makers of reports do not. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Columns with the highest number go first where the table is too wide; 0 never goes. */
  readonly expendable: number;
}

type Interval = readonly [number, number] | null;

export interface Ratio {
  readonly ratio: number;
  readonly interval: Interval;
}

export interface Table {
  readonly kind: 'table';
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The row that is recommended; -1 when none is. */
  readonly chosen?: number;
}

/** One measure over pool sizes, on logarithmic axes: all values are above 0. Back ends that only write leave it out. */
export interface Curve {
  readonly kind: 'curve';
  readonly title: string;
  /** `text`: what was recorded, where it is not the value itself. */
  readonly points: readonly Readonly<{ size: number; value: number; interval: Interval; text?: string }>[];
  readonly chosen: number | null;
  readonly rules: readonly { readonly at: number; readonly label: string }[];
  /** Values are ratios to the baseline; those within 3 % of 1 count as the same. */
  readonly isRatio: boolean;
  readonly format: (value: number) => string;
}

export const PARTS = {
  pool: 'on a pool thread',
  inferred: 'on a pool thread, inferred',
  queue: 'waiting in the queue',
  'queue-inferred': 'waiting in the queue, inferred',
  loop: 'waiting for the event loop',
  main: 'on the main thread',
  outside: 'waiting outside the process',
} as const;

export type Part = keyof typeof PARTS;

export interface Stretch {
  readonly part: Part;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Bars {
  readonly kind: 'bars';
  readonly caption: string;
  readonly toMs: number;
  readonly rows: readonly {
    readonly label: string;
    readonly stretches: readonly Stretch[];
    readonly time: string;
    readonly note: string;
  }[];
}

/** What a report says first of a piece of work: the size to use, or why none can be named. */
export interface Verdict {
  readonly work: string;
  /** To set; `null` when none is recommended, also where the estimates lean to one. */
  readonly size: number | null;
  /** The size as a text has it: `8`, `~8`, `?`; empty where the work has none. */
  readonly sign: string;
  readonly confidence: 'sure' | 'likely' | 'cannot tell';
  readonly gain: string;
  readonly sure: string;
  readonly because: string;
}

export const CONFIDENCE_TONE: Readonly<Record<Verdict['confidence'], Tone>> = {
  sure: 'good',
  likely: 'unsure',
  'cannot tell': 'bad',
};

export type Said = Pick<Finding, 'text' | 'severity'> & { readonly id?: string };

export type Block =
  | { readonly kind: 'headline'; readonly text: string; readonly tone: Tone }
  | { readonly kind: 'note'; readonly text: string; readonly tone?: Tone }
  | { readonly kind: 'findings'; readonly findings: readonly Said[] }
  | Readonly<{ kind: 'names'; groups: readonly { label: string; names: readonly string[] }[] }>
  /** As a list; a page has them at its top already. */
  | { readonly kind: 'verdicts'; readonly verdicts: readonly Verdict[] }
  | Table
  | Curve
  | Bars
  /** Back ends that only write leave it out. */
  | { readonly kind: 'flame'; readonly caption: string; readonly root: Bar };

export interface Section {
  readonly title?: Cell | undefined;
  readonly aside?: string;
  readonly blocks: readonly Block[];
}

export interface Report {
  readonly command: string;
  readonly subject?: string;
  readonly environment?: Environment;
  readonly about?: readonly (string | null)[];
  readonly warning?: string | null;
  readonly verdicts?: readonly Verdict[];
  readonly sections: readonly Section[];
}

export const column = (title: string, align: Column['align'] = 'right', expendable = 0): Column => ({
  title,
  align,
  expendable,
});

export const notes = (texts: readonly (string | null)[], tone?: Tone): Block[] =>
  texts
    .filter((text) => text !== null)
    .map((text) => ({ kind: 'note', text, ...(tone === undefined ? {} : { tone }) }));

export const titled = (title: string, blocks: readonly Block[]): Section[] =>
  blocks.length === 0 ? [] : [{ title, blocks }];

export const findingsBlock = (findings: readonly Said[]): Block[] =>
  findings.length === 0 ? [] : [{ kind: 'findings', findings }];

export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
export const toneOf = (cell: Cell): Tone | undefined => (typeof cell === 'string' ? undefined : cell.tone);

export const MARKS: Readonly<Record<Finding['severity'], string>> = { warning: '!', advice: '→', note: '·' };
