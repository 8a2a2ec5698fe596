import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plimsollPool } from '@plimsoll/fastify';
import { rescueThreadPool } from '@plimsoll/monitor';
// @ts-expect-error a script without declarations
import { freePort } from '../../../scripts/free-port.mjs';
// @ts-expect-error a script without declarations
import { findPrometheus, VARIABLE } from '../../../scripts/prometheus.mjs';
import { FASTIFIES, fixture, holdThreads, SIZE } from './support.js';

const PROMETHEUS: string | null = findPrometheus();
const skip = PROMETHEUS === null && `there is no prometheus on PATH, and ${VARIABLE} names none`;
const monitor = fileURLToPath(new URL('../../monitor/', import.meta.url));
const RULES = join(monitor, 'dashboards/alerts.yml');
const LONGEST_WAIT_MS = 120_000;

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

interface Rule {
  readonly query: string;
}

/** One that scrapes and evaluates twice a second, by the rules of the package with shorter times. */
async function startPrometheus(t: TestContext, target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-prometheus-'));
  const rules = readFileSync(RULES, 'utf8')
    .replaceAll('[5m]', '[10s]')
    .replaceAll(/for: \d+m/g, 'for: 1s');
  writeFileSync(join(folder, 'alerts.yml'), rules);
  const config = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'app', static_configs: [{ targets: [target] }] }],
  };
  // What is JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const child: ChildProcess = spawn(PROMETHEUS as string, [...args, `--web.listen-address=${address}`], {
    stdio: 'ignore',
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  return async <Data>(path: string): Promise<Data | undefined> => {
    assert.equal(child.exitCode, null, 'Prometheus has ended');
    // To inflate an answer takes a thread of the pool, and the test holds them all.
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(`http://${address}/api/v1/${path}`, { headers }).catch(() => undefined);
    const { data, error } = ((await response?.json().catch(() => undefined)) ?? {}) as {
      data?: Data;
      error?: string;
    };
    assert.equal(error, undefined, path);
    return data;
  };
}

async function until(what: string, happened: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  while (!(await happened())) {
    assert.ok(performance.now() < end, `it did not happen: ${what}`);
    await sleep(100);
  }
}

test('Prometheus reads pool, monitor and rescue, every panel has values, alerts fire and clear', {
  skip: skip || process.platform !== 'linux',
}, async (t) => {
  const [[, create]] = FASTIFIES as [(typeof FASTIFIES)[number]];
  const fastify = create();
  t.after(() => fastify.close());
  fastify.register(plimsollPool, {
    ...{ filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 },
    ...{ metrics: '/metrics', shed: { poolWaitMs: 10_000 } },
  });
  await fastify.ready();
  await fastify.runTask({ a: 1, b: 2 });
  // Threads can be blocked and the pool still serves: what its panels and its alert tell of.
  const rescue = await rescueThreadPool({ size: SIZE - 1, max: SIZE, waitMs: 20, holdMs: 200 });
  t.after(() => rescue.stop());
  const target = new URL(await fastify.listen({ host: '127.0.0.1', port: 0 })).host;
  const ask = await startPrometheus(t, target);
  const valuesOf = async (expression: string): Promise<[number, string][]> => {
    const found = await ask<{ result: { value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return found?.result.map(({ value }) => value) ?? [];
  };
  await until('pool and monitor are scraped', async () => {
    const [settled] = await valuesOf('plimsoll_pool_task_settled_total{pool="default"} > 0');
    const [waits] = await valuesOf('sum(rate(nodejs_thread_pool_queue_duration_seconds_count[10s])) > 0');
    return settled !== undefined && waits !== undefined;
  });

  const { panels } = JSON.parse(readFileSync(join(monitor, 'dashboards/grafana.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const rules =
    (await ask<{ groups: { rules: Rule[] }[] }>('rules'))?.groups.flatMap(({ rules }) => rules) ?? [];
  assert.ok(rules.length >= 5);
  // What an alert compares with its limit.
  const compared = rules.map(({ query }) => query.replace(/ > [\d.]+$/, ''));
  for (const expr of [
    ...panels.flatMap(({ targets }) => targets.map((target) => target.expr)),
    ...compared,
  ]) {
    const expression = expr.replaceAll(/\$(job|instance)\b/g, '.*').replaceAll('$__rate_interval', '10s');
    // A scrape that comes too late takes the values away until the next one.
    await until(expression, async () => (await valuesOf(expression)).length > 0);
  }

  const firing = async (): Promise<ReadonlySet<string | undefined>> => {
    const alerts = (await ask<{ alerts: Alert[] }>('alerts'))?.alerts ?? [];
    return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  };
  const expected = ['NodeThreadPoolStandsStill', 'NodeThreadPoolBlocked'];
  const release = holdThreads(t);
  await until('the alerts fire', async () => {
    const names = await firing();
    return expected.every((name) => names.has(name));
  });
  const grown = 'nodejs_thread_pool_resizes_total{nodejs_thread_pool_resize_direction="grow"} > 0';
  for (const expression of ['nodejs_thread_pool_thread_blocked > 0', grown])
    await until(expression, async () => (await valuesOf(expression)).length > 0);
  await release();
  await until('the alerts clear', async () => {
    const names = await firing();
    return !expected.some((name) => names.has(name));
  });
  await until('the threads are given back', async () => {
    const [given] = await valuesOf(
      'nodejs_thread_pool_resizes_total{nodejs_thread_pool_resize_direction="shrink"} > 0',
    );
    return given !== undefined;
  });
});

test("the rules do what their tests say, by Prometheus' own tool", {
  skip: skip || !existsSync(join(dirname(PROMETHEUS as string), 'promtool')),
}, () => {
  const tool = join(dirname(PROMETHEUS as string), 'promtool');
  for (const args of [
    ['check', 'rules', RULES],
    ['test', 'rules', join(monitor, 'test/alerts.promtool.yml')],
  ]) {
    const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});
