import {
  type Column,
  column,
  formatNumber,
  median,
  type Report,
  type Section,
  type Table,
} from '@plimsoll/lab';
import { asNumber, asRecord, asRecords, asText } from './loose.js';

/** A document of any study or benchmark: each part is shown where it is there. */
export type StudyDocument = Readonly<Record<string, unknown>>;

const MOST_ROWS = 300;

/** A study, a benchmark of the worker pool, or any other document: ratios with their intervals, and the rest as tables. */
export function studyReport(document: StudyDocument): Report {
  const kind = asText(document.kind) ?? 'document';
  const cases = asRecords(document.cases).filter(({ rows }) => asRecords(rows).length > 0);
  const conditions = asRecords(document.conditions).filter(({ generations }) => Array.isArray(generations));
  const sections = [...cases.map(caseOfPool), ...conditions.flatMap(conditionOf)];
  const tables = sections.length === 0 ? tablesOf(document) : [];
  return {
    command: kind,
    subject: asText(document.name) ?? '',
    about:
      sections.length + tables.length === 0 ? ['Nothing in it can be drawn; the data is in the page.'] : [],
    sections: [...sections, { blocks: tables }],
  };
}

/** Ratios of each contender to the baseline, for each metric that was compared. */
function caseOfPool(one: StudyDocument): Section {
  const rows = asRecords(one.rows);
  const metrics = [...new Set(rows.flatMap(({ times }) => Object.keys(asRecord(times) ?? {})))];
  return {
    title: asText(one.title) ?? asText(one.name) ?? '',
    blocks: [
      { kind: 'note', text: asText(one.description) ?? '', tone: 'soft' },
      ...metrics.slice(0, 3).map((metric) => ratioTable(rows, metric)),
    ],
  };
}

function ratioTable(rows: readonly StudyDocument[], metric: string): Table {
  const known = rows.flatMap((row) => {
    const estimate = asRecord(asRecord(row.times)?.[metric]);
    const [ratio, low, high] = [estimate?.value, estimate?.low, estimate?.high].map(asNumber);
    if (ratio == null || ratio <= 0) return [];
    const interval = low != null && high != null && low > 0 ? ([low, high] as const) : null;
    const bounds = interval === null ? '' : ` [${interval.map(shortOf).join(', ')}]`;
    const name = asText(row.title) ?? asText(row.contender) ?? '';
    return [{ name, text: `${shortOf(ratio)}×${bounds}`, ratio, interval }];
  });
  return {
    kind: 'table',
    caption: `${metric}, against the baseline (1)`,
    columns: [column('contender', 'left'), column(metric)],
    rows: known.map(({ name, text }) => [name, text]),
  };
}

/** Medians over generations of each contender's metrics. */
function conditionOf(one: StudyDocument): Section[] {
  const contenders = asRecords(one.contenders);
  const metrics = asRecords(one.metrics);
  const generations = asRecords(one.generations);
  const rows = contenders.map((contender) => {
    const key = asText(contender.id) ?? '';
    return [
      asText(contender.title) ?? key,
      ...metrics.map((metric) => {
        const values = generations.flatMap((generation) => {
          const given = asRecord(generation[key])?.[asText(metric.id) ?? ''];
          const rounds = Array.isArray(given) ? given.flatMap((value) => asNumber(value) ?? []) : [];
          return rounds.length === 0 ? [] : [median(rounds)];
        });
        return values.length === 0 ? '–' : shortOf(median(values));
      }),
    ];
  });
  if (rows.length === 0 || metrics.length === 0) return [];
  const columns = [column('contender', 'left'), ...metrics.map(({ title }) => column(asText(title) ?? ''))];
  const caption = `Medians of ${generations.length} generations`;
  return [
    {
      title: asText(one.title) ?? asText(one.id) ?? '',
      blocks: [{ kind: 'table', caption, columns, rows }],
    },
  ];
}

/** Each list of records as a table of what is plain in them. */
function tablesOf(document: StudyDocument): Table[] {
  return Object.entries(document).flatMap(([name, value]) => {
    const records = asRecords(value);
    if (records.length === 0) return [];
    const flat = records.slice(0, MOST_ROWS).map(flatten);
    const keys = [...new Set(flat.flatMap((record) => Object.keys(record)))].slice(0, 12);
    if (keys.length === 0) return [];
    const columns = keys.map((key): Column => {
      const isNumeric = flat.every((record) => record[key] === undefined || typeof record[key] === 'number');
      return column(key, isNumeric ? 'right' : 'left');
    });
    const left = records.length - flat.length;
    const caption = `${name}${left > 0 ? `: the first ${formatNumber(MOST_ROWS)} of ${formatNumber(records.length)}` : ''}`;
    const rows = flat.map((record) => keys.map((key) => textOf(record[key])));
    return [{ kind: 'table', caption, columns, rows }];
  });
}

/** What is plain in a record; of records in it the same, with dots in the names. */
function flatten(record: StudyDocument): Record<string, string | number | boolean> {
  const flat: Record<string, string | number | boolean> = Object.create(null);
  for (const [name, value] of Object.entries(record)) {
    if (isPlain(value)) flat[name] = value;
    for (const [inner, part] of Object.entries(asRecord(value) ?? {}))
      if (isPlain(part)) flat[`${name}.${inner}`] = part;
  }
  return flat;
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const LONGEST = 400;

function textOf(value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return shortOf(value);
  return String(value).slice(0, LONGEST);
}

const shortOf = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000
    ? formatNumber(Math.round(value))
    : String(Number(value.toPrecision(3)));
