import { RIVALS, type Rival, TITLES } from './arms.js';
import { LENGTHS, type Measured, VALUES } from './cells.js';
import { crossoverOf, timesInline } from './compare.js';
import { lengthText } from './words.js';

const COLORS: Record<Rival, string> = { plimsoll: '#0969da', piscina: '#bc4c00', fork: '#57606a' };
const [PANEL, HEIGHT, LEFT, TOP, BOTTOM, GAP] = [270, 360, 64, 64, 52, 22];
const WIDTH = LEFT + VALUES.length * (PANEL + GAP);

const round = (value: number): number => Math.round(value * 10) / 10;
const decades = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));

/** Rates in times those of `inline` over the lengths of tasks, a panel for each value; a ring where a line crosses 1. */
export function picture(all: readonly Measured[]): string {
  const least = Math.floor(
    Math.log10(Math.min(...all.flatMap((one) => RIVALS.map((rival) => timesInline(one, rival).value)))),
  );
  const most = Math.log10(4);
  const y = (ratio: number): number =>
    round(TOP + ((most - Math.log10(ratio)) / (most - least)) * (HEIGHT - TOP - BOTTOM));
  const [first, last] = [LENGTHS[0], LENGTHS[LENGTHS.length - 1] as number];
  const panels = VALUES.map(({ name }, index) => {
    const left = LEFT + index * (PANEL + GAP);
    const x = (length: number): number =>
      round(left + 12 + (Math.log(length / first) / Math.log(last / first)) * (PANEL - 24));
    const lines = RIVALS.map((rival) => {
      const points = all
        .filter((one) => one.value === name)
        .map((one) => [one.length, timesInline(one, rival)] as const);
      const bars = points.map(
        ([length, { low, high }]) =>
          `<line x1="${x(length)}" x2="${x(length)}" y1="${y(Math.max(low, 10 ** least))}" y2="${y(Math.min(high, 4))}"/>`,
      );
      const path = points.map(([length, { value }]) => `${x(length)},${y(value)}`).join(' ');
      const at = crossoverOf(all, name, rival);
      const ring =
        at > 0 && Number.isFinite(at) ? `<circle cx="${x(at)}" cy="${y(1)}" r="5" fill="#fff"/>` : '';
      return `<g stroke="${COLORS[rival]}" stroke-width="2" fill="none">${bars.join('')}<polyline points="${path}"/>${ring}</g>`;
    });
    const ticks = LENGTHS.map(
      (length) =>
        `<text x="${x(length)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${lengthText(length)}</text>`,
    );
    const grid = decades(least, 0).map(
      (ratio) =>
        `<line x1="${left}" x2="${left + PANEL}" y1="${y(ratio)}" y2="${y(ratio)}" stroke="${ratio === 1 ? '#1f2328' : '#d8dee4'}"/>`,
    );
    return [
      ...grid,
      ...lines,
      ...ticks,
      `<text x="${left}" y="${TOP - 10}" class="title">${name}</text>`,
    ].join('\n');
  });
  const scale = decades(least, 0).map(
    (ratio) =>
      `<text x="${LEFT - 8}" y="${y(ratio) + 4}" text-anchor="end">×${Number(ratio.toPrecision(1))}</text>`,
  );
  const legend = RIVALS.map(
    (rival, index) =>
      `<line x1="${LEFT + index * 150}" x2="${LEFT + index * 150 + 22}" y1="20" y2="20" stroke="${COLORS[rival]}" stroke-width="2"/><text x="${LEFT + index * 150 + 28}" y="24">${TITLES[rival]}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>Tasks a second in times inline, over the length of tasks, for values of ${VALUES.map(({ name }) => name).join(', ')}</title>
<style>text { font: 12px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600; fill: #1f2328 }</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${[...scale, ...legend, ...panels].join('\n')}
<text x="${LEFT}" y="${HEIGHT - 10}">length of a task; above the black line, ×1, it pays</text>
</svg>
`;
}
