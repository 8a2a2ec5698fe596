/** Okabe and Ito's colours, darker on white and lighter on black so that each has a contrast of at least 3 to 1. */
const LIGHT = {
  crypto: '#0072b2',
  zlib: '#c24e00',
  fs: '#00805c',
  dns: '#b0568f',
  'add-on': '#8a6d00',
  main: '#5c6570',
  outside: '#8a939e',
};
const DARK = {
  crypto: '#56b4e9',
  zlib: '#f08a4b',
  fs: '#2fc495',
  dns: '#e0a3c8',
  'add-on': '#e6c34a',
  main: '#9aa5b1',
  outside: '#77828e',
};

const variables = (colors: Readonly<Record<string, string>>, ground: string): string =>
  [
    ...Object.entries(colors).map(([family, color]) => `--job-${family}:${color}`),
    `--job-ground:${ground}`,
  ].join(';');

const families = Object.keys(LIGHT);

/** Styles of the timelines of jobs; the page puts them into its one style sheet. */
export const JOB_STYLES = `
:root{${variables(LIGHT, '#fff')}}
@media (prefers-color-scheme:dark){:root{${variables(DARK, '#14181d')}}}
@media print{:root{${variables(LIGHT, '#fff')}}}
.jobs-patterns{position:absolute}
.jobs-legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0 0 .75rem;padding:0;list-style:none;font-size:.85rem}
.jobs-legend li{display:flex;align-items:center;gap:.4rem}
.jobs-panel{margin:0 0 1.25rem;break-inside:avoid}
.jobs-panel h3{margin:0 0 .25rem;font-size:.95rem}
.jobs-picture{display:flex}
.jobs-picture text{font-size:11px;fill:currentColor}
.jobs-rows{flex:none}
.jobs-plane{flex:1;min-width:0;overflow:hidden}
.jobs-plane [data-axis] line{stroke:currentColor;stroke-opacity:.18}
.jobs .track{fill:currentColor;fill-opacity:.05}
.jobs line.ceiling{stroke:currentColor;stroke-width:1.5;stroke-dasharray:6 4}
.jobs .inferred{stroke-dasharray:3 2}
.jobs .finished{fill-opacity:.45}
.jobs-patterns .mark{fill:var(--job-ground);stroke:var(--job-ground);stroke-width:1.2}
.jobs-notes{margin:.25rem 0 0;padding:0;list-style:none;font-size:.9rem}
.jobs-zoom{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:0 0 .5rem;font-size:.85rem}
.jobs[tabindex]{touch-action:pan-y}
.jobs[tabindex] .jobs-plane{cursor:grab}
${families.map((family) => `.jobs .${family}{fill:var(--job-${family});stroke:var(--job-${family})}.jobs-patterns .${family}{fill:var(--job-${family})}`).join('\n')}
${['zlib', 'fs', 'dns', 'add-on'].map((family) => `.jobs .running.${family}{fill:url(#jobs-run-${family})}`).join('\n')}
${families.map((family) => `.jobs .waiting.${family}{fill:url(#jobs-wait-${family})}`).join('\n')}
.jobs .outside{fill-opacity:.35}
@media print{.jobs-zoom{display:none}}
`;
