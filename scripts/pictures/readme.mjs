// README.md as GitHub shows it: its widths, type and colours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../run.mjs';

const STYLES = `
:root{color-scheme:light dark;--ground:#fff;--ink:#1f2328;--soft:#59636e;--rule:#d1d9e0;--link:#0969da;--code:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--ink:#f0f6fc;--soft:#9198a1;--rule:#3d444d;--link:#4493f8;--code:#151b23}
  .shiki,.shiki span{color:var(--shiki-dark)!important}}
body{margin:0 auto;max-width:896px;padding:32px;box-sizing:border-box;background:var(--ground);color:var(--ink);font:16px/1.5 -apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;overflow-wrap:break-word}
@media (max-width:600px){body{padding:16px}}
h1,h2{border-bottom:1px solid var(--rule);padding-bottom:.3em;margin:24px 0 16px;line-height:1.25}h1{font-size:2em}h2{font-size:1.5em}
p,ul,table,pre{margin:0 0 16px}a{color:var(--link)}img{max-width:100%;height:auto}
code{font:85% ui-monospace,"DejaVu Sans Mono",monospace;background:var(--code);padding:.2em .4em;border-radius:6px}
pre{padding:16px;overflow:auto;background:var(--code);border-radius:6px;line-height:1.45}pre code{padding:0;font-size:13.6px}
table{border-collapse:collapse;display:block;width:max-content;max-width:100%;overflow:auto}th,td{padding:6px 13px;border:1px solid var(--rule)}
.header-anchor,.copy,.lang{display:none}`;

/** @returns {Promise<string>} */
export async function readmePage() {
  // The renderer of the site, which is installed by itself.
  const vitepress = pathToFileURL(join(root, 'site/node_modules/vitepress/dist/node/index.js')).href;
  const { createMarkdownRenderer } = await import(vitepress);
  const markdown = await createMarkdownRenderer(root, {
    theme: { light: 'github-light', dark: 'github-dark' },
  });
  const body = markdown.render(readFileSync(join(root, 'README.md'), 'utf8'), {
    path: join(root, 'README.md'),
  });
  const base = pathToFileURL(root).href;
  return `<!doctype html><meta charset="utf-8"><base href="${base}/"><meta name="viewport" content="width=device-width">
<style>${STYLES}</style><body>${body.replaceAll(/ v-pre(="")?/g, '')}`;
}
