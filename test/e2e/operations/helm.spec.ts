import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { readEnvironment } from '../../../src/config/env.js';
import {
  CHART,
  chartFile,
  filledTemplates,
  type Manifest,
  manifests,
  valuesOfChart,
} from '../../support/helm-chart.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { unreadPaths } from '../../support/unread-paths.js';

interface Model {
  readonly prototype: { validate(this: object): void };
}
const MODELS: Readonly<Record<string, object>> = {
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
  v1: core,
};
const SECRETS = {
  DATABASE_URL: 'postgres://broker:password@postgres/broker',
  REDIS_URL: 'redis://redis:6379',
  SECRET_KEY: randomBytes(32).toString('base64'),
};

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly Container[]; readonly securityContext: object };
}

const objects = manifests();
const named = objects.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const);
const ofKind = (kind: string): Manifest[] => objects.filter((each) => each.kind === kind);
const pods = objects
  .map(({ kind, spec }) => [kind, (spec as { template?: Pod } | undefined)?.template] as const)
  .flatMap(([, template]) => (template ? [template] : []));
const containers = pods.flatMap(({ spec }) => spec.containers);
const environmentOf = ({ env }: Container): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

describe('The Helm chart', () => {
  it('contains no expression but names of the release and values', () => {
    const left = [...filledTemplates()].filter(([, text]) => text.replaceAll('{}', '').includes('{{'));
    expect(left.map(([name]) => name)).toEqual([]);
    const used = [...filledTemplates().keys()].map((name) => chartFile(`templates/${name}`)).join('\n');
    const unused = Object.keys(valuesOfChart()).filter((name) => !used.includes(`.Values.${name}`));
    expect(unused).toEqual([]);
  });

  it.each(named)('has objects of the Kubernetes schemas: %s', (_name, object) => {
    const { prototype } = (MODELS[object.apiVersion] as Record<string, Model>)[object.kind]!;
    // Not through the constructor, which reads and copies everything.
    const validate = (given: object): void => prototype.validate.call(given);
    expect(() => validate(object)).not.toThrow();
    expect(unreadPaths(object, validate)).toEqual([]);
  });

  it('has processes, a migration, probes, policies and limits of disruption', () => {
    const kinds = named.map(([name]) => name).sort();
    expect(kinds).toEqual([
      'ConfigMap broker-config',
      'ConfigMap broker-migration-config',
      'Deployment broker-web',
      'Deployment broker-worker',
      'HorizontalPodAutoscaler broker-web',
      'Job broker-migration',
      'NetworkPolicy broker-migration',
      'NetworkPolicy broker-web',
      'NetworkPolicy broker-worker',
      'PodDisruptionBudget broker-web',
      'PodDisruptionBudget broker-worker',
      'Service broker-web',
    ]);
  });

  it('runs as an ordinary user, without a way to write or to gain rights', () => {
    expect(pods).toHaveLength(3);
    for (const { spec } of pods)
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('runs entries that exist', () => {
    for (const { command } of containers) {
      expect(command[0]).toBe('node');
      expect(existsSync(command[1]!.replace('dist/', 'src/').replace('.js', '.ts'))).toBe(true);
    }
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(chartFile('Chart.yaml')).toContain(`appVersion: '${version}'`);
  });

  it('sets an environment that the service accepts, and nothing that it does not read', () => {
    const known = [...readFileSync('.env.example', 'utf8').matchAll(/^(?:# ?)?([A-Z][A-Z0-9_]*)=/gm)].map(
      ([, name]) => name,
    );
    for (const { envFrom, ...container } of containers) {
      const from = envFrom.find((each) => each.configMapRef)!.configMapRef!.name;
      const config = ofKind('ConfigMap').find(({ metadata }) => metadata.name === from)!.data!;
      const env = { ...config, ...SECRETS, ...environmentOf({ envFrom, ...container }) };
      expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([]);
      expect(() => readEnvironment(env)).not.toThrow();
    }
  });

  it('gives a stop the time that it needs', () => {
    const { terminationGracePeriodSeconds, config } = valuesOfChart() as {
      terminationGracePeriodSeconds: number;
      config: { SHUTDOWN_DELAY_SECONDS: string };
    };
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(config.SHUTDOWN_DELAY_SECONDS) + 15);
  });

  it('selects pods that exist', () => {
    const labelSets = pods.map(({ metadata }) => JSON.stringify(metadata.labels));
    for (const { kind, spec } of objects) {
      const { selector, podSelector } = (spec ?? {}) as Record<string, { matchLabels?: object } | undefined>;
      const selected = podSelector?.matchLabels ?? selector?.matchLabels ?? selector;
      if (selected) expect([kind, labelSets]).toEqual([kind, expect.arrayContaining([JSON.stringify(selected)])]);
    }
  });

  describe('has ports and probes', () => {
    let database: TestDatabase;
    let service: TestApp;

    beforeAll(async () => {
      database = await freshDatabase();
      service = await startTestApp({ settings: { databaseUrl: database.url } });
    });
    afterAll(async () => {
      await service.close();
      await database.drop();
    });

    it('that the service has', () => {
      const routes = routesOf(service.nest);
      const variables = { http: 'PORT', metrics: 'METRICS_PORT' } as const;
      for (const container of containers) {
        const env = environmentOf(container);
        for (const { name, containerPort } of container.ports ?? [])
          expect(env[variables[name as 'http' | 'metrics']]).toBe(String(containerPort));
        for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
          if (!probe) continue;
          expect(container.ports!.map(({ name }) => name)).toContain(probe.httpGet.port);
          const [path, query] = probe.httpGet.path.split('?');
          expect(routes).toContain(`GET ${path}`);
          expect([undefined, 'ignore_redis=true']).toContain(query);
        }
      }
    });
  });

  it('is described in the run book', () => {
    expect(readFileSync('docs/operations.md', 'utf8')).toContain(`helm upgrade --install broker ${CHART}`);
  });
});
