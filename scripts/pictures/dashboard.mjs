// The dashboard of @plimsoll/monitor over a real Prometheus, its panels drawn with Grafana's own components (@grafana/ui and
// @grafana/data, Apache-2.0; Grafana itself is AGPL). They have 400 packages, so they are installed for one run.
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPrometheus, VARIABLE } from '../prometheus.mjs';
import { npm, root, run } from '../run.mjs';

const GRAFANA = ['ui', 'data', 'schema', 'i18n'].map((name) => `@grafana/${name}@12`);
const PACKAGES = [...GRAFANA, 'react@18', 'react-dom@18', 'rxjs@7', 'esbuild@0.28'];
const DASHBOARD = join(root, 'packages/monitor/dashboards/grafana.json');
const SECONDS = 100;
/** More threads than the rescue may add. */
const THREADS = '16';

/**
 * @typedef {{ expr: string, legendFormat: string }} Target
 * @typedef {{ metric: Record<string, string>, values: [number, string][] }} Series
 * @typedef {{ title: string, targets: Target[] }} Panel
 */

/** @param {string} folder to write into @returns {Promise<string>} the page */
export async function dashboardPage(folder) {
  const prometheus = findPrometheus();
  if (prometheus === null) throw new Error(`no prometheus on PATH or in ${VARIABLE}`);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--prefix', folder];
  npm(['install', ...options, ...PACKAGES]);
  const [port, appPort] = [await freePort(), await freePort()];
  const config = {
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'app', static_configs: [{ targets: [`127.0.0.1:${appPort}`] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const stdio = /** @type {const} */ ('ignore');
  const server = spawn(prometheus, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio });
  const env = { ...process.env, UV_THREADPOOL_SIZE: THREADS };
  const app = spawn(process.execPath, [join(import.meta.dirname, 'dashboard-app.mjs'), String(appPort)], {
    ...{ env, stdio: /** @type {const} */ (['ignore', 'inherit', 'inherit']) },
  });
  try {
    await sleep(SECONDS * 1000);
    const to = Date.now() / 1000;
    const query = `start=${to - SECONDS + 5}&end=${to}&step=1`;
    /** @type {{ panels: Panel[] }} */
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
    const drawn = [];
    for (const panel of panels) {
      /** @type {{ legend: string, values: [number, string][] }[]} */
      const series = [];
      for (const { expr, legendFormat } of panel.targets) {
        const expression = expr.replaceAll(/\$(job|instance)\b/g, '.*').replaceAll('$__rate_interval', '10s');
        const url = `http://127.0.0.1:${port}/api/v1/query_range?query=${encodeURIComponent(expression)}&${query}`;
        const answer = await (await fetch(url)).json();
        const { data } = /** @type {{ data: { result: Series[] } }} */ (answer);
        for (const { metric, values } of data.result)
          series.push({
            legend: legendFormat.replaceAll(/{{(\w+)}}/g, (_, name) => metric[name] ?? ''),
            values,
          });
      }
      if (series.length === 0) throw new Error(`no values for the panel '${panel.title}'`);
      drawn.push({ ...panel, series });
    }
    return write(folder, { panels: drawn, from: (to - SECONDS + 5) * 1000, to: to * 1000 });
  } finally {
    app.kill('SIGKILL');
    server.kill('SIGKILL');
  }
}

/** @param {string} folder @param {object} data */
function write(folder, data) {
  copyFileSync(join(import.meta.dirname, 'dashboard-page.mjs'), join(folder, 'page.mjs'));
  const define = ['process.env.NODE_ENV="production"', 'global=globalThis'].map((one) => `--define:${one}`);
  const options = ['--bundle', '--outfile=page.js', '--loader:.ttf=empty', '--log-level=error', ...define];
  run(join(folder, 'node_modules/.bin/esbuild'), ['page.mjs', ...options], { cwd: folder });
  const page = join(folder, 'dashboard.html');
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="node_modules/uplot/dist/uPlot.min.css"><body>
<script>window.process = { env: {} }; window.DASHBOARD = ${JSON.stringify(data)}</script><script src="page.js"></script>`,
  );
  return page;
}

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
