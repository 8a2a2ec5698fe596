/** Okabe and Ito's hues for parts, one blue for everything that is to be followed or copied. */
const LIGHT =
  '--ground:#fff;--raised:#f5f7f9;--ink:#17202a;--soft:#55606c;--rule:#d9dfe5;--accent:#0a5c9e;--band:#0a5c9e22;--same:#7d8a9720;--bad:#a3291c;--unsure:#8a4b00;--good:#00694b;--pool:#0a5c9e;--queue:#c24e00;--main:#5c6570;--outside:#00805c;--loop:#b0568f';
const DARK =
  '--ground:#14181d;--raised:#1c2229;--ink:#e8edf2;--soft:#a3afbb;--rule:#333d47;--accent:#6bb6f2;--band:#6bb6f22e;--same:#93a1ae26;--bad:#ff9d8f;--unsure:#f0b070;--good:#5cd6ac;--pool:#6bb6f2;--queue:#f08a4b;--main:#9aa5b1;--outside:#2fc495;--loop:#e0a3c8';

export const STYLES = `
:root{${LIGHT};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.top,main{max-width:84rem;margin:0 auto;padding:0 1.25rem}
.top{padding-top:2.5rem}
.brand{margin:0;color:var(--accent);font-weight:650;letter-spacing:.02em}
.brand::before{content:"";display:inline-block;width:.7em;height:.7em;margin-right:.45em;border:.14em solid;border-radius:50%;background:linear-gradient(currentColor 0 0) center/160% .14em no-repeat}
h1{margin:.1rem 0 1rem;font-size:clamp(1.7rem,4vw,2.6rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
h2{margin:0 0 .6rem;font-size:1.35rem;line-height:1.25;letter-spacing:-.01em}
h3{margin:2rem 0 .4rem;font-size:1.1rem}
h2 span,.aside,.work span,nav span{color:var(--soft);font-weight:400;font-size:.85rem;letter-spacing:0}
a{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.4rem;margin:0 0 1rem;padding:0;list-style:none;font-size:.95rem}
.verdicts{margin:1.5rem 0 3rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13.5rem),1fr));gap:1rem}
.card{display:flex;flex-direction:column;padding:1rem 1.15rem;background:var(--raised);border:1px solid var(--rule);border-top:3px solid var(--accent);border-radius:.5rem;break-inside:avoid}
.card.unsure-card,.card.bad-card{border-top-style:dashed}.bad-card .size span:first-child{order:1;font-size:1.1rem;color:var(--soft);letter-spacing:0}
.card p{margin:0}
.work{font-weight:600}
.work a{color:inherit;text-decoration:none}
.work a:hover{text-decoration:underline}
.size{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .8rem;font-size:2.5rem;line-height:1.15;font-weight:650;letter-spacing:-.03em;font-variant-numeric:tabular-nums}
.gain{font-weight:500;font-variant-numeric:tabular-nums}
.sure,small{color:var(--soft);font-size:.82rem}
.because{flex:1;color:var(--soft);font-size:.92rem}
.card .line{margin-top:.7rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;justify-content:space-between}
code{font:.85em ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.result{margin:0 0 3rem;padding-top:1.5rem;border-top:1px solid var(--rule)}
.note{margin:.2rem 0;font-size:.9rem;max-width:85ch;text-wrap:pretty}
.headline{margin:.8rem 0;font-size:1.2rem;font-weight:600;max-width:70ch}
.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.unsure{color:var(--unsure)}.pool{color:var(--pool)}
.strong{font-weight:650}
.findings{margin:.8rem 0;padding:0;list-style:none;max-width:85ch}
.findings li{display:flex;gap:.7rem;margin:.35rem 0}
.findings .sign{width:1ch;flex:none;color:var(--soft);font-weight:700;text-align:center}
.findings .warning .sign{color:var(--unsure)}.findings .advice .sign{color:var(--good)}
.findings .id{font-size:.8rem;white-space:nowrap}
dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1.2rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0}
figure{margin:0 0 1.25rem;break-inside:avoid}
.note+figure,.scroll+.scroll,.scroll+.note+.scroll{margin-top:1.25rem}
figcaption{margin-bottom:.35rem;font-size:.92rem;font-weight:600}
.curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1.5rem 2rem;margin:1rem 0}
.curve svg{display:block;width:100%;height:auto}
.tick,svg text.rule{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.recorded{font-size:12px;font-weight:600;fill:var(--ink);stroke:var(--ground);stroke-width:3px;paint-order:stroke;font-variant-numeric:tabular-nums}
.grid{stroke:var(--rule)}
.same{fill:var(--same)}
line.rule{stroke:var(--soft);stroke-dasharray:3 3}
.whisker{stroke:var(--accent);stroke-width:1.5;fill:none}
.line{stroke:var(--accent);stroke-width:1.5;fill:none}
.estimate{fill:var(--accent);stroke:var(--ground)}
circle.chosen{fill:none;stroke:var(--accent);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.4rem 0;padding:0;list-style:none;font-size:.85rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.bar-row{display:grid;grid-template-columns:3rem minmax(0,1fr) 13rem;gap:.8rem;align-items:center;font-size:.85rem;line-height:1.5}
.part{fill:var(--pool)}.part.queue,.part.queue-inferred{fill:var(--queue);fill-opacity:.45}
.part.loop{fill:var(--loop)}.part.main{fill:var(--main)}.part.outside{fill:var(--outside);fill-opacity:.6}
.part.inferred,.part.queue-inferred{stroke:var(--ink);stroke-dasharray:2 2}
.flame{display:block}.flame rect{stroke:var(--ground);fill:var(--queue);fill-opacity:.4}.flame text{font-size:12.5px;fill:var(--ink)}
.flame rect.frame{fill:var(--main);fill-opacity:.18}.flame rect.core{fill:var(--pool)}.flame rect.blocked{fill:var(--outside)}.flame rect.loop{fill:var(--loop)}
.num{text-align:right;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{padding:.2rem 0 .5rem;text-align:left;font-size:.92rem;font-weight:600}
th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--rule);text-align:left;font-weight:400;vertical-align:top;overflow-wrap:normal;white-space:nowrap}
td svg{display:block}
.long{min-width:min(14rem,30vw);max-width:36rem;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--soft)}
th.num,td.num{text-align:right}
tr.chosen th,tr.chosen td{font-weight:650;background:var(--band)}
.tools{margin:.8rem 0}
summary{width:max-content;color:var(--accent);font-size:.85rem;cursor:pointer}
pre{overflow-x:auto;font-size:.8rem}
code,pre{user-select:all}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:36rem){.thin text{display:none}.top{padding-top:1.25rem}.bar-row{grid-template-columns:2rem minmax(0,1fr)}.bar-row span:last-child{grid-column:2}dl{grid-template-columns:1fr}}
@media print{body{font-size:11pt}.tools,nav{display:none}.scroll{overflow:visible}}
`;
