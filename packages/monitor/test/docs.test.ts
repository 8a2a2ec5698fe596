import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { monitorThreadPool, prometheusText, rescueThreadPool } from '@plimsoll/monitor';
import { familiesOf } from '../dist/exporters/families.js';
import { prometheusName } from '../dist/metrics/family.js';
import { IS_LINUX, until } from './support.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const pages = ['../README.md', '../../../docs/reference/monitor.md'].map(read);

test('the pages have every metric, option, member and variable', () => {
  const names = familiesOf(monitorThreadPool()).flatMap((family) => [
    `\`${family.name}\``,
    `\`${prometheusName(family)}\``,
  ]);
  const options = [...read('../src/options.ts').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(
    ([, name]) => name,
  );
  const variables = [...read('../src/auto-settings.ts').matchAll(/'(PLIMSOLL_MONITOR_\w+)'/g)].map(
    ([, name]) => name,
  );
  assert.ok(options.length === 9 && variables.length === 5);
  for (const page of pages)
    for (const name of [...names, ...options, ...variables])
      assert.ok(page.includes(name as string), `lacks ${name}`);
});

test('the dashboard and the alerts ask for what a running monitor gives', { skip: !IS_LINUX }, async (t) => {
  using monitor = monitorThreadPool({ resolution: 2 });
  monitor.enable();
  await stat('.');
  const rescue = await rescueThreadPool({ size: 3, max: 4 });
  t.after(() => rescue.stop());
  await until(() => monitor.count > 0 && monitor.threadPool.utilization !== undefined);
  const exported = prometheusText(monitor);
  const known = new Set(exported.match(/\bnodejs_thread_pool_\w+/g));
  for (const file of ['grafana.json', 'alerts.yml']) {
    const text = read(`../dashboards/${file}`);
    const used = new Set(text.match(/\bnodejs_thread_pool_\w+/g));
    assert.ok(used.size >= 4, file);
    assert.deepEqual(
      [...used].filter((name) => !known.has(name)),
      [],
      file,
    );
  }
  assert.match(exported, /_bucket\{nodejs_thread_pool_work_kind="fast",le="0\.1"\}/, 'the bound of an alert');
});

test('the dashboard is one that Grafana reads', () => {
  const { panels, schemaVersion } = JSON.parse(read('../dashboards/grafana.json')) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
    schemaVersion: number;
  };
  assert.ok(schemaVersion >= 36);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.ok(panels.every(({ title, targets }) => title !== '' && targets.length > 0));
});
