import { type Family, families, isWait, type Panel } from './panel.js';

const NAMES: Record<Family, string> = {
  crypto: 'crypto',
  zlib: 'zlib',
  fs: 'fs',
  dns: 'dns.lookup',
  'add-on': 'add-on',
  main: 'on the event loop',
  outside: 'outside the process',
};

/** What sets the families apart besides their colours: a mark on each tile of a bar. */
const MARKS: Partial<Record<Family, string>> = {
  zlib: '<path d="M0 4h8"/>',
  fs: '<path d="M4 0v8"/>',
  dns: '<circle cx="4" cy="4" r="1.3"/>',
  'add-on': '<path d="M2 2l4 4M6 2l-4 4"/>',
};

/** The patterns that all timelines of a page refer to. */
export function patterns(): string {
  const running = Object.entries(MARKS).map(
    ([family, mark]) =>
      `<pattern id="jobs-run-${family}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="${family}"/><g class="mark">${mark}</g></pattern>`,
  );
  const waiting = families.map(
    (family) =>
      `<pattern id="jobs-wait-${family}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="5" class="${family}"/></pattern>`,
  );
  return `<svg class="jobs-patterns" width="0" height="0" aria-hidden="true"><defs>${running.join('')}${waiting.join('')}</defs></svg>`;
}

/** What the bars of these panels mean. */
export function legendOf(panels: readonly Panel[]): string {
  const jobs = panels.flatMap((panel) => panel.jobs);
  const used = new Set<Family>(
    [...jobs, ...panels.flatMap(({ others }) => others)].map(({ family }) => family),
  );
  const first = jobs[0]?.family ?? 'crypto';
  const has = (test: (panel: Panel) => boolean): boolean => panels.some(test);
  const items = [
    ...families
      .filter((family) => used.has(family))
      .map((family) => entry(`running ${family}`, NAMES[family])),
    ...(has(({ jobs }) => jobs.some(isWait))
      ? [entry(`waiting ${first}`, 'hatched: waiting for a pool thread')]
      : []),
    ...(has(({ jobs }) => jobs.some(({ callbackMs, endMs }) => callbackMs > endMs))
      ? [entry(`finished ${first}`, 'result waiting for the event loop', 5)]
      : []),
    ...(has(({ jobs }) => jobs.some(({ inferred }) => inferred))
      ? [
          entry(
            `running inferred ${jobs.find(({ inferred }) => inferred)?.family}`,
            'dashed: thread and times inferred',
          ),
        ]
      : []),
  ];
  return `<ul class="jobs-legend">${items.join('')}</ul>`;
}

const entry = (classes: string, text: string, height = 12): string =>
  `<li><svg width="24" height="14" aria-hidden="true"><rect class="${classes}" x="1" y="${13 - height}" width="22" height="${height}"/></svg>${text}</li>`;
