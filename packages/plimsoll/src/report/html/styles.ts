/** Okabe and Ito's hues for parts and series, one blue for everything that is to be followed or copied. */
const LIGHT = `--ground:#fff;--raised:#f5f7f9;--ink:#17202a;--soft:#55606c;--rule:#d9dfe5;--accent:#0a5c9e;--band:#0a5c9e22;--same:#7d8a9720;--warn:#8a4b00;--good:#00694b;--wait:#c24e00;--core:#8a6d00;--cpu:#0072b2;--blocked:#00805c;--loop:#b0568f`;
const DARK = `--ground:#14181d;--raised:#1c2229;--ink:#e8edf2;--soft:#a3afbb;--rule:#333d47;--accent:#6bb6f2;--band:#6bb6f22e;--same:#93a1ae26;--warn:#f0b070;--good:#5cd6ac;--wait:#f08a4b;--core:#e6c34a;--cpu:#56b4e9;--blocked:#2fc495;--loop:#e0a3c8`;

const PARTS = [
  ['queueWaitMs', 'wait'],
  ['coreWaitMs', 'core'],
  ['cpuMs', 'cpu'],
  ['blockedMs', 'blocked'],
  ['eventLoopMs', 'loop'],
] as const;

const SERIES = ['cpu', 'wait', 'blocked', 'loop', 'core', 'ink', 'soft', 'accent'];

/** The style sheet of the page. */
export const PAGE_STYLES = `
:root{${LIGHT};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.top,main{max-width:72rem;margin:0 auto;padding:0 1.25rem}
.top{padding-top:2.5rem}
.brand{margin:0;color:var(--accent);font-weight:650;letter-spacing:.02em}
.brand::before{content:"";display:inline-block;width:.7em;height:.7em;margin-right:.45em;border:.14em solid;border-radius:50%;background:linear-gradient(currentColor 0 0) center/160% .14em no-repeat}
h1{margin:.1rem 0 1rem;font-size:clamp(1.7rem,4vw,2.6rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
h2{margin:0 0 1rem;font-size:1.35rem;line-height:1.25;letter-spacing:-.01em}
h2 span,.work span,nav span,summary span{color:var(--soft);font-weight:400;font-size:.85rem;letter-spacing:0}
h3{margin:1.5rem 0 .4rem;font-size:1.05rem}
summary{cursor:pointer;margin:1.5rem 0 .4rem}
summary h3{display:inline;margin:0}
a{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.4rem;margin:0 0 1rem;padding:0;list-style:none;font-size:.95rem}
.verdicts{margin:1.5rem 0 3rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem}
.card{display:flex;flex-direction:column;padding:1rem 1.15rem;background:var(--raised);border:1px solid var(--rule);border-top:3px solid var(--accent);border-radius:.5rem;break-inside:avoid}
.card.estimate{border-top-style:dashed}
.card p{margin:0}
.work{font-weight:600}
.work a{color:inherit;text-decoration:none}
.work a:hover{text-decoration:underline}
.size{font-size:2.6rem;line-height:1.2;font-weight:650;letter-spacing:-.03em;font-variant-numeric:tabular-nums}
.gain{margin-left:.7rem;font-size:.95rem;font-weight:500;letter-spacing:0}
.sure{color:var(--soft);font-size:.82rem}
.because{flex:1;color:var(--soft);font-size:.92rem}
.card .line{margin-top:.7rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;justify-content:space-between}
code{font:.85em ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.result{margin:0 0 3rem;padding-top:1.5rem;border-top:1px solid var(--rule)}
.how,.again{margin:.2rem 0 .8rem;color:var(--soft);font-size:.9rem;max-width:70ch}
.warning{margin:.3rem 0;color:var(--warn);font-size:.92rem;max-width:75ch}
.headline{font-size:1.15rem;font-weight:600}
.headline.worse,.headline.unclear{color:var(--warn)}.headline.better,.headline.same{color:var(--good)}
.findings{margin:.8rem 0;padding:0;list-style:none;max-width:80ch}
.findings li{display:flex;gap:.7rem;margin:.35rem 0}
.findings .sign{width:1ch;flex:none;color:var(--soft);font-weight:700;text-align:center}
.findings .warning .sign{color:var(--warn)}.findings .advice .sign{color:var(--good)}
.findings li.warning{color:inherit;font-size:inherit;max-width:none}
.findings .id{font-size:.8rem;white-space:nowrap}
figure{margin:0 0 1.25rem;break-inside:avoid}
figcaption{margin-bottom:.35rem;font-size:.92rem;font-weight:600}
.curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,27rem),1fr));gap:1.5rem 2rem;margin:1rem 0}
.curve svg{display:block;width:100%;height:auto;max-width:38rem}
.tick,svg text.rule{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.grid{stroke:var(--rule)}
.same{fill:var(--same)}
line.rule{stroke:var(--soft);stroke-dasharray:3 3}
.band{fill:var(--band)}
.round{fill:none;stroke:var(--soft);stroke-opacity:.5;stroke-width:3;stroke-linecap:round}
.whisker{stroke:var(--accent);stroke-width:1.5;fill:none}
.line{stroke:var(--accent);fill:none}
polyline.line{stroke-width:1.5}
.estimate circle,circle.estimate{fill:var(--accent);stroke:var(--ground);stroke-width:1}
circle.chosen{fill:none;stroke:var(--accent);stroke-width:2.5}
${SERIES.map((name, index) => `.series-${index} polyline,.series-${index} .mark{stroke:var(--${name})}.series-${index} .mark{fill:var(--${index < 5 ? name : 'ground'})}`).join('\n')}
.patterns{position:absolute}
${PARTS.map(([key, name]) => `.${key}{fill:var(--${name})}`).join('')}
.patterns .ground{fill-opacity:.25}
.stack svg .queueWaitMs,.legend .queueWaitMs{fill:url(#stack-queueWaitMs)}
.stack svg .coreWaitMs,.legend .coreWaitMs{fill:url(#stack-coreWaitMs)}
.stack svg .eventLoopMs,.legend .eventLoopMs{fill:url(#stack-eventLoopMs)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:0 0 .6rem;padding:0;list-style:none;font-size:.85rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.stack-row,.interval-row{display:grid;grid-template-columns:minmax(6rem,14rem) minmax(0,1fr) minmax(4.5rem,auto);gap:.8rem;align-items:center;margin:.25rem 0;font-size:.9rem}
.interval-row{grid-template-columns:minmax(6rem,14rem) minmax(0,1fr) 11rem}
.stack-row svg,.interval-row svg{display:block}
.stack-label{overflow:hidden;text-overflow:ellipsis}
.num{text-align:right;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{padding:.2rem 0 .5rem;text-align:left;font-size:.92rem;font-weight:600}
th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--rule);text-align:left;font-weight:400;vertical-align:top;overflow-wrap:normal}
th,td{white-space:nowrap}.long,.machine td{min-width:14rem;max-width:32rem;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--soft)}
th.num,td.num{text-align:right}
tr.chosen th,tr.chosen td{font-weight:650;background:var(--band)}
.tools{margin:.4rem 0 1rem}
button{padding:.2rem .6rem;border:1px solid var(--rule);border-radius:.35rem;background:var(--ground);color:var(--accent);font:inherit;font-size:.85rem;cursor:pointer}
button.sort{padding:0;border:0;background:none;color:inherit;font:inherit}
th[aria-sort=ascending] .sort::after{content:" ↑"}th[aria-sort=descending] .sort::after{content:" ↓"}
textarea.copy{display:block;width:100%;min-height:6rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:36rem){.top{padding-top:1.25rem}.stack-row,.interval-row{grid-template-columns:minmax(0,1fr) auto;row-gap:.1rem}.stack-row svg,.interval-row svg{grid-column:1/-1;grid-row:2}}
@media print{body{font-size:11pt}.tools,nav,button{display:none}.result{break-before:auto}details::details-content{content-visibility:visible}.scroll{overflow:visible}}
`;
