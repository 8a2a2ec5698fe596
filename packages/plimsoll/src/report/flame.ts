import { gzipSync } from 'node:zlib';
import { sum } from '../collections/sum.js';
import type { TracedProgram, TraceSummary } from '../results/trace-summary.js';

export type Wait = TracedProgram['waits'][number];
export type Cause = Wait['cause'];
export type Site = NonNullable<Wait['behind']>;

export const CAUSES: Readonly<Record<Cause, string>> = {
  thread: 'waiting for a pool thread',
  core: 'waiting for a core',
  blocked: 'waiting for a disk, the network or a lock',
  loop: 'waiting for the event loop',
};

/** A bar of the graph, as wide as the waits under it. */
export interface Bar {
  readonly name: string;
  ms: number;
  readonly cause: Cause | null;
  readonly under: Map<string, Bar>;
}

type Step = Readonly<{ name: string; file: string | null; line: number; cause: Cause | null }>;
type Frame = Wait['frames'][number];

const step = (name: string, cause: Cause | null = null): Step => ({ name, file: null, line: 0, cause });

const placeOf = ({ name, file, line }: Frame): string =>
  file === null ? name : [name, `${file}:${line}`].filter((text) => text !== '').join(' ');

/** `zlib of GET /export (lib/export.js:41)`. */
export function siteText({ request, kind, frame }: Site): string {
  const place =
    frame === null ? '' : ` (${frame.file === null ? frame.name : `${frame.file}:${frame.line}`})`;
  return `${kind}${request === null ? '' : ` of ${request}`}${place}`;
}

/** From the root to the cause of the wait. */
const stepsOf = ({ request, frames, kind, cause, behind }: Wait): Step[] => [
  step(request ?? 'no request'),
  ...frames.map((frame) => ({ ...frame, name: placeOf(frame), cause: null })),
  step(kind),
  step(CAUSES[cause], cause),
  ...(behind === null ? [] : [step(`behind ${siteText(behind)}`, cause)]),
];

export function barsOf(name: string, waits: readonly Wait[]): Bar {
  const root: Bar = { name, ms: 0, cause: null, under: new Map() };
  for (const wait of waits) {
    let bar = root;
    bar.ms += wait.ms;
    for (const { name, cause } of stepsOf(wait)) {
      const under = bar.under.get(name) ?? { name, ms: 0, cause, under: new Map() };
      bar.under.set(name, under);
      under.ms += wait.ms;
      bar = under;
    }
  }
  return root;
}

/** Numbers values in the order of their first use. */
class Numbers<Value> {
  readonly values: Value[] = [];
  readonly #known = new Map<string, number>();

  of(value: Value): number {
    const key = JSON.stringify(value);
    const number = this.#known.get(key) ?? this.values.push(value) - 1;
    this.#known.set(key, number);
    return number;
  }
}

const scriptOf = ({ script }: TracedProgram): string => script ?? 'node';

/** A file for www.speedscope.app, a profile for each program. */
export function speedscope({ command, programs }: TraceSummary): string {
  const frames = new Numbers<Pick<Step, 'name'> & { file?: string; line?: number }>();
  const profiles = programs.map((program) => ({
    ...{ type: 'sampled', name: scriptOf(program), unit: 'milliseconds', startValue: 0 },
    endValue: sum(program.waits.map(({ ms }) => ms)),
    samples: program.waits.map((wait) =>
      stepsOf(wait).map(({ name, file, line }) => frames.of(file === null ? { name } : { name, file, line })),
    ),
    weights: program.waits.map(({ ms }) => ms),
  }));
  const $schema = 'https://www.speedscope.app/file-format-schema.json';
  return JSON.stringify({ $schema, name: command, profiles, shared: { frames: frames.values } });
}

/** A field of a protocol buffer: a varint, packed varints, or bytes. */
function field(number: number, value: number | readonly number[] | Uint8Array): Uint8Array {
  if (typeof value === 'number') return Uint8Array.from([...varint(8 * number), ...varint(value)]);
  const bytes = value instanceof Uint8Array ? value : Uint8Array.from(value.flatMap(varint));
  return Buffer.concat([Uint8Array.from([...varint(8 * number + 2), ...varint(bytes.length)]), bytes]);
}

/** Not by shifts: nanoseconds have more than 32 bits. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);
const NS_PER_MS = 1e6;

/** For pprof, Pyroscope and more readers of profile.proto: nanoseconds of waiting, with the cause as a label. */
export function pprof({ programs, durationMs, startedAt }: TraceSummary): Buffer {
  const texts = new Numbers<string>();
  texts.of('');
  const steps = new Numbers<Omit<Step, 'cause'>>();
  const type = message(field(1, texts.of('wait')), field(2, texts.of('nanoseconds')));
  const samples = programs.flatMap((program) =>
    program.waits.map((wait) => {
      const stack = [step(scriptOf(program)), ...stepsOf(wait)].map(({ name, file, line }) =>
        steps.of({ name, file, line }),
      );
      const label = message(field(1, texts.of('cause')), field(2, texts.of(wait.cause)));
      const locations = stack.toReversed().map((number) => number + 1);
      return field(
        2,
        message(field(1, locations), field(2, [Math.round(wait.ms * NS_PER_MS)]), field(3, label)),
      );
    }),
  );
  const places = steps.values.flatMap(({ name, file, line }, index) => {
    const id = index + 1;
    const [named, inFile] = [texts.of(name), texts.of(file ?? '')];
    return [
      field(4, message(field(1, id), field(4, message(field(1, id), field(2, line))))),
      field(5, message(field(1, id), field(2, named), field(3, named), field(4, inFile))),
    ];
  });
  const strings = texts.values.map((text) => field(6, Buffer.from(text)));
  const times = [field(9, Date.parse(startedAt) * NS_PER_MS), field(10, Math.round(durationMs * NS_PER_MS))];
  return gzipSync(message(field(1, type), ...samples, ...places, ...strings, ...times));
}
