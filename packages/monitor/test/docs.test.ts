import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { monitorThreadPool, prometheusText } from '@plimsoll/monitor';
import { GAUGES, OLDEST, WAIT } from '../dist/exporters/metrics.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const pages = ['../README.md', '../../../docs/reference/monitor.md'].map(read);
const families = [...GAUGES, OLDEST, WAIT];

test('the pages have every metric, option, member and variable', () => {
  const names = families.flatMap(({ name, prometheus }) => [`\`${name}\``, `\`${prometheus}\``]);
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

test('the dashboard and the alerts ask for metrics that there are', () => {
  const known = new Set(families.map(({ prometheus }) => prometheus));
  for (const part of ['bucket', 'sum', 'count']) known.add(`${WAIT.prometheus}_${part}` as never);
  for (const file of ['grafana.json', 'alerts.yml']) {
    const text = read(`../dashboards/${file}`);
    const used = new Set(text.match(/nodejs_threadpool_\w+/g));
    assert.ok(used.size >= 3, file);
    assert.deepEqual(
      [...used].filter((name) => !known.has(name as never)),
      [],
      file,
    );
  }
  const exported = prometheusText(monitorThreadPool());
  assert.ok(exported.includes(`${WAIT.prometheus}_bucket{class="fast",le="0.1"}`), 'the bound of an alert');
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
