import { Clock } from '../../src/common/clock.js';
import type { Settings } from '../../src/config/settings.js';
import { codeAt } from './authenticator.js';
import { FakeClock } from './fake-clock.js';
import { enroll, type Enrolled } from './second-factor.js';
import { startTestApp, type TestApp } from './test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from './world.js';

/** A service whose clock stands still, so that no code grows old in the middle of a test. */
export interface SecondFactorService {
  readonly service: TestApp;
  readonly world: World;
  readonly clock: FakeClock;
  readonly tenant: TestTenant;
  readonly app: TestClient;
  /** A user in the app who has a second factor, with no code spent. */
  enrolled(app?: { id: string }): Promise<{ user: TestUser } & Enrolled>;
  /** What the user's app shows now, or so many steps from now. */
  code(enrolled: Enrolled, step?: number): string;
  close(): Promise<void>;
}

export async function startSecondFactorService(settings: Partial<Settings> = {}): Promise<SecondFactorService> {
  const clock = new FakeClock();
  const service = await startTestApp({
    settings,
    override: (builder) => builder.overrideProvider(Clock).useValue(clock),
  });
  const world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  const tenant = await world.tenant();
  const app = await world.app(tenant);
  return {
    service,
    world,
    clock,
    tenant,
    app,
    enrolled: async (where = app) => {
      const user = await world.user(where);
      return { user, ...(await enroll(world, user, where.id, () => clock.seconds())) };
    },
    code: ({ secret }, step = 0) => codeAt(secret, clock.seconds() + step * 30),
    close: async () => {
      await world.close();
      await service.close();
    },
  };
}
