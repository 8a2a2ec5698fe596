import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plimsollPool } from '@plimsoll/fastify';
// @ts-expect-error a script without declarations
import { findPrometheus, VARIABLE } from '../../../scripts/prometheus.mjs';
import { FASTIFIES, fixture, holdThreads } from './support.js';

const PROMETHEUS: string | null = findPrometheus();
const skip = PROMETHEUS === null && `there is no prometheus on PATH, and ${VARIABLE} names none`;
const monitor = fileURLToPath(new URL('../../monitor/', import.meta.url));
const RULES = join(monitor, 'dashboards/alerts.yml');
const LONGEST_WAIT_MS = 60_000;

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** One that scrapes and evaluates five times a second, by the rules of the package with shorter times. */
async function startPrometheus(t: TestContext, target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-prometheus-'));
  const rules = readFileSync(RULES, 'utf8')
    .replaceAll('[5m]', '[10s]')
    .replaceAll(/for: \d+m/g, 'for: 1s');
  writeFileSync(join(folder, 'alerts.yml'), rules);
  const config = {
    global: { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '200ms' },
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

test('Prometheus reads pool and monitor, every panel has values, an alert fires and clears', {
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
  for (const { expr } of panels.flatMap(({ targets }) => targets)) {
    const expression = expr.replaceAll(/\$(job|instance)\b/g, '.*').replaceAll('$__rate_interval', '10s');
    assert.ok((await valuesOf(expression)).length > 0, expression);
  }

  const alerts = async (): Promise<readonly Alert[]> =>
    (await ask<{ alerts: Alert[] }>('alerts'))?.alerts ?? [];
  const standsStill = (alert: Alert): boolean =>
    alert.labels.alertname === 'NodeThreadPoolStandsStill' &&
    alert.labels.nodejs_thread_pool_work_kind === 'fast';
  const release = holdThreads(t);
  await until('the alert fires', async () =>
    (await alerts()).some((alert) => standsStill(alert) && alert.state === 'firing'),
  );
  release();
  await until('the alert clears', async () => !(await alerts()).some(standsStill));
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
