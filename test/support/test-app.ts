import './background-work.js';
import './one-connection.js';
import './periodic-timers.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import supertest from 'supertest';
import type TestAgent from 'supertest/lib/agent.js';
import { AppModule } from '../../src/processes/app.module.js';
import type { Settings } from '../../src/config/settings.js';
import { clientAddressKey } from '../../src/rate-limits/client-address.js';
import { RATE_LIMIT_LABELS } from '../../src/rate-limits/counters/rate-limit.rules.js';
import { RateLimitsService } from '../../src/rate-limits/rate-limits.service.js';
import { configureWebApp, createWebApp } from '../../src/processes/web-app.js';
import { keepForNextFiles } from './runner/kept.js';
import { freePort } from './free-port.js';
import { withPatientDatabase } from './patient-database.js';
import { testSettings } from './test-settings.js';

export interface TestAppOptions {
  readonly settings?: Partial<Settings>;
  /** Puts fakes in the place of providers (clock, randomness, network). */
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
}

/** The web application inside the test's process, listening on a free loopback port. */
export interface TestApp {
  readonly nest: NestExpressApplication;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** Requests without cookies. */
  readonly http: TestAgent;
  /** Another browser: an agent that keeps its cookies. */
  browser(): TestAgent;
  close(): Promise<void>;
}

/** What a file may do with a service that others use after it. */
export type SharedTestApp = Omit<TestApp, 'nest' | 'close'>;

let shared: Promise<TestApp> | null = null;

/**
 * The service as `startTestApp()` starts it, once for all test files that one process runs: to start it takes longer than
 * the tests of most of them. It ends with the process. What a file leaves in its memory, others find: counters of limits
 * by user and app, caches, connections. Counters of the network address, which is the same for all files, begin at zero.
 */
export async function sharedTestApp(): Promise<SharedTestApp> {
  shared ??= startTestApp().then((app) => {
    keepForNextFiles('TCPServerWrap');
    return app;
  });
  const app = await shared;
  const limits = app.nest.get(RateLimitsService);
  await Promise.all(RATE_LIMIT_LABELS.map((label) => limits.clear(label, clientAddressKey('127.0.0.1'))));
  return app;
}

export async function startTestApp({ settings: overrides, override }: TestAppOptions = {}): Promise<TestApp> {
  const port = overrides?.port ?? (await freePort());
  const named = `http://localhost:${port}`;
  const baseUrl = overrides?.baseUrl === named ? named : `http://127.0.0.1:${port}`;
  const settings = testSettings({ host: '127.0.0.1', port, baseUrl, ...overrides });
  const nest = await withPatientDatabase(async () => {
    const created = override ? await createOverridden(settings, override) : await createWebApp(settings);
    await created.listen(port, '127.0.0.1');
    return created;
  });
  return {
    nest,
    settings,
    baseUrl,
    http: supertest(baseUrl) as unknown as TestAgent,
    browser: () => supertest.agent(baseUrl),
    close: () => nest.close(),
  };
}

async function createOverridden(
  settings: Settings,
  override: NonNullable<TestAppOptions['override']>,
): Promise<NestExpressApplication> {
  const module = await override(Test.createTestingModule({ imports: [AppModule.register(settings)] })).compile();
  const nest = module.createNestApplication<NestExpressApplication>({ bodyParser: false });
  configureWebApp(nest, settings);
  return nest;
}
