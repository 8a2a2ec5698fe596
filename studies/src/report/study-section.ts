import {
  type Column,
  drawIntervals,
  escapeText,
  formatNumber,
  htmlTable,
  median,
  type Render,
  type Section,
} from 'plimsoll/lab';
import { asNumber, asRecord, asRecords, asText } from './loose.js';

/** A document of any study or benchmark: each part is shown where it is there. */
export type StudyDocument = Readonly<Record<string, unknown>>;

const MOST_ROWS = 300;

/** A study, a benchmark of the worker pool, or any other document: ratios with their intervals, and the rest as tables. */
export const studySection: Render<StudyDocument> = (document, id): Section => {
  const kind = asText(document.kind) ?? 'document';
  const name = asText(document.name) ?? kind;
  const cases = asRecords(document.cases).filter(({ rows }) => asRecords(rows).length > 0);
  const conditions = asRecords(document.conditions).filter(({ generations }) => Array.isArray(generations));
  const body = [
    ...cases.map((one) => caseOfPool(one)),
    ...conditions.map((one, index) => conditionOf(one, `${id}-${index + 1}`)),
    ...(cases.length + conditions.length === 0 ? tablesOf(document, id) : []),
  ].join('\n');
  return {
    id,
    title: name,
    kind: kind === name ? '' : kind,
    verdicts: [],
    body: body === '' ? '<p class="how">Nothing in it can be drawn; the data is in the page.</p>' : body,
  };
};

/** Ratios of each contender to the baseline, for each metric that was compared. */
function caseOfPool(one: StudyDocument): string {
  const rows = asRecords(one.rows);
  const metrics = [...new Set(rows.flatMap(({ times }) => Object.keys(asRecord(times) ?? {})))];
  const title = asText(one.title) ?? asText(one.name) ?? '';
  const figures = metrics.slice(0, 3).map((metric) =>
    drawIntervals(
      rows.flatMap((row) => {
        const estimate = asRecord(asRecord(row.times)?.[metric]);
        const [value, low, high] = [estimate?.value, estimate?.low, estimate?.high].map(asNumber);
        if (value == null) return [];
        const isKnown = low != null && high != null && low > 0;
        const bounds = isKnown ? ` [${shortOf(low)}, ${shortOf(high)}]` : '';
        return [
          {
            label: asText(row.title) ?? asText(row.contender) ?? '',
            value,
            interval: isKnown ? ([low, high] as const) : null,
            text: `${shortOf(value)}×${bounds}`,
          },
        ];
      }),
      `${metric}, against the baseline (1)`,
    ),
  );
  const description = asText(one.description);
  return `<h3>${escapeText(title)}</h3>${description === null ? '' : `<p class="how">${escapeText(description)}</p>`}${figures.join('')}`;
}

/** Medians over generations of each contender's metrics. */
function conditionOf(one: StudyDocument, id: string): string {
  const contenders = asRecords(one.contenders);
  const metrics = asRecords(one.metrics);
  const generations = asRecords(one.generations);
  const title = asText(one.title) ?? asText(one.id) ?? '';
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
  if (rows.length === 0 || metrics.length === 0) return '';
  return `<h3>${escapeText(title)}</h3>${htmlTable(
    [
      { title: 'contender', align: 'left', expendable: 0 },
      ...metrics.map(
        (metric): Column => ({ title: asText(metric.title) ?? '', align: 'right', expendable: 0 }),
      ),
    ],
    rows,
    { id: `${id}-table`, caption: `${title}: medians of ${generations.length} generations` },
  )}`;
}

/** Each list of records as a table of what is plain in them. */
function tablesOf(document: StudyDocument, id: string): string[] {
  return Object.entries(document).flatMap(([name, value], index) => {
    const records = asRecords(value);
    if (records.length === 0) return [];
    const flat = records.slice(0, MOST_ROWS).map(flatten);
    const keys = [...new Set(flat.flatMap((record) => Object.keys(record)))].slice(0, 12);
    if (keys.length === 0) return [];
    const columns = keys.map((key): Column => {
      const isNumeric = flat.every((record) => record[key] === undefined || typeof record[key] === 'number');
      return { title: key, align: isNumeric ? 'right' : 'left', expendable: 0 };
    });
    const left = records.length - flat.length;
    const caption = `${name}${left > 0 ? `: the first ${formatNumber(MOST_ROWS)} of ${formatNumber(records.length)}` : ''}`;
    const rows = flat.map((record) => keys.map((key) => textOf(record[key])));
    return [htmlTable(columns, rows, { id: `${id}-list-${index + 1}`, caption })];
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
