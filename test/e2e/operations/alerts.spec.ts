import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { register } from 'prom-client';
import { parse } from 'yaml';
import { namesIn } from '../../support/prometheus-query.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** Prometheus adds them to everything that it scrapes. */
const OF_PROMETHEUS = ['instance', 'job'];

const read = (path: string): string => readFileSync(path, 'utf8');
const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('deploy/grafana/identity-broker.json')) as { panels: Panel[] };
const charts = panels.filter(({ type }) => type !== 'row');
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...charts.flatMap(({ title, targets }) => targets!.map(({ expr }) => [title, expr] as const)),
];
const headings = new Set(
  [...read('docs/operations.md').matchAll(/^#{2,} (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  ),
);

describe('Alert rules and dashboard', () => {
  let database: TestDatabase;
  let service: TestApp;
  /** Labels by the names that queries use. */
  const exposed = new Map<string, readonly string[]>();

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    const { text } = await service.http.get('/metrics');
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const { labelNames } = register.getSingleMetric(name!) as unknown as { labelNames: string[] };
      if (type === 'histogram')
        for (const [end, more] of [
          ['bucket', ['le']],
          ['count', []],
          ['sum', []],
        ] as const)
          exposed.set(`${name}_${end}`, [...labelNames, ...more]);
      else exposed.set(name!, labelNames);
    }
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  it('are about something', () => {
    expect(alerts.length).toBeGreaterThan(20);
    expect(charts.length).toBeGreaterThan(20);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.each(queries)('use metrics and labels that /metrics has: %s', (_name, query) => {
    const { metrics, matched, grouped } = namesIn(query);
    expect(metrics.length).toBeGreaterThan(0);
    for (const metric of metrics) {
      expect([...exposed.keys()]).toContain(metric);
      for (const label of grouped) expect([...exposed.get(metric)!, ...OF_PROMETHEUS]).toContain(label);
    }
    for (const { metric, label } of matched) expect(exposed.get(metric)).toContain(label);
  });

  it.each(queries)('name routes that exist: %s', (_name, query) => {
    const named = [...query.matchAll(/route=~?"([^"]+)"/g)].flatMap(([, routes]) => routes!.split('|'));
    const { stack } = (
      service.nest.getHttpAdapter().getInstance() as { router: { stack: { route?: { path: string } }[] } }
    ).router;
    const paths = stack.flatMap(({ route }) => route?.path ?? []);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it.each(queries)('see the first increment of a counter with labels: %s', (_name, query) => {
    // Without a value before the first increment, a counter has no increase afterwards and no rate before.
    for (const [, metric] of query.matchAll(/increase\((\w+)[^)]*\)\) > 0/g))
      if (exposed.get(metric!)!.length > 0) expect(query).toContain(`${metric} unless ${metric} offset 15m`);
    if (query.includes(' == 0')) expect(query).toMatch(/ or vector\(0\)\) == 0/);
  });

  it('use every metric of the service', () => {
    const used = new Set(queries.flatMap(([, query]) => namesIn(query).metrics));
    const own = [...exposed.keys()].filter((name) => name.startsWith('identity_'));
    expect(own.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('Alert rules', () => {
  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    'have a time, a severity, a summary and a page to read: %s',
    (_name, { for: time, labels, annotations }) => {
      expect(time).toMatch(/^\d+[mh]$/);
      expect(['critical', 'warning']).toContain(labels?.['severity']);
      expect(annotations?.['summary']).toMatch(/\S/);
      const [file, heading] = annotations?.['runbook']?.split('#') ?? [];
      expect(file).toBe('docs/operations.md');
      expect([...headings]).toContain(heading);
    },
  );

  it('find the instance without a free connection, however many idle ones others have', () => {
    const { expr, annotations } = alerts.find(({ alert }) => alert === 'IdentityBrokerPoolExhausted')!;
    // A statement waits only while its process has no idle connection. Those of others must not matter.
    expect(expr).toBe('sum by (instance, job) (db_client_connection_pending_requests) > 0');
    expect(annotations?.['description']).toContain('{{ $labels.instance }}');
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    'show labels only that their query keeps: %s',
    (_name, { expr, annotations }) => {
      const shown = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const kept = namesIn(expr).grouped;
      expect(shown.filter((label) => !kept.includes(label!))).toEqual([]);
    },
  );
});
