import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import type { RequestContext } from '../../../src/common/request-context.js';
import { Transactions } from '../../../src/database/transactions.js';
import { ChangePlanners } from '../../../src/operators/scheduled-changes/planning/change-planners.js';
import type { ScheduledChange } from '../../../src/operators/scheduled-changes/planning/scheduled-change.entity.js';
import { ImpersonationService } from '../../../src/operators/impersonation/impersonation.service.js';
import type { LiveConsoleSession } from '../../../src/operators/session/console-sessions.repository.js';
import { RefreshRevocation } from '../../../src/tokens/grants/revocation/refresh-revocation.js';
import type { KnownFamily } from '../../../src/tokens/grants/token-family/refresh-families.repository.js';
import { LogoutNotices } from '../../../src/tokens/logout/logout-notices.service.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

type Connect = (...args: unknown[]) => unknown;

// As many transactions at once as the pool has connections would wait for each other.
describe('Transactions on a cold cache of apps need one connection', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  const connections = new AsyncLocalStorage<{ left: number }>();

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const config = { backchannel_logout_uri: 'https://shop.example/logout' };
    app = await world.app(await world.tenant(), { config });
    user = await world.user(app);
    const pool = (service.nest.get(DataSource).driver as unknown as { master: { connect: Connect } }).master;
    const connect = pool.connect.bind(pool);
    pool.connect = (...args) => {
      const allowed = connections.getStore();
      if (allowed && allowed.left-- <= 0) throw new Error('A second connection was taken');
      return connect(...args);
    };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const get = <T>(type: new (...args: never[]) => T): T => service.nest.get<T>(type, { strict: false });
  const ctx: RequestContext = { requestId: 'one', ip: null, userAgent: null, actor: { type: 'system', name: 'test' } };
  const onOne = <T>(work: () => Promise<T>): Promise<T> => {
    (get(AppDirectory) as unknown as { cache: { clear(): void } }).cache.clear();
    return connections.run({ left: 1 }, work);
  };
  const inTransaction = <T>(work: (tx: EntityManager) => Promise<T>) => onOne(() => get(Transactions).run(work));
  const entries = async (action: string) =>
    (await world.sql('SELECT app_id FROM audit_entries WHERE action = $1 AND app_id = $2', [action, app.id])).length;

  it('to queue logout notices', async () => {
    await inTransaction((tx) => get(LogoutNotices).enqueueForApp(tx, user.id, app.id));
    const notices = await world.sql(`SELECT 1 FROM outbox_messages WHERE payload ->> 'appId' = $1`, [app.id]);
    expect(notices).toHaveLength(1);
  });

  it('to end a sign-in', async () => {
    const { refresh_token } = (await world.login(user, app.id)).body as { refresh_token: string };
    const [family] = await world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE user_id = $1', [user.id]);
    const known = { id: family!.id, userId: user.id, appId: app.id } as KnownFamily;
    await onOne(() => get(RefreshRevocation).revoke(ctx, known, 'owner'));
    expect(await entries('session.revoked')).toBe(1);
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
  });

  it('to end an impersonation', async () => {
    const impersonation = { type: 'app', id: app.id, name: 'Shop', reason: 'Test', until: new Date() };
    const session = { impersonation } as unknown as LiveConsoleSession;
    await inTransaction((tx) => get(ImpersonationService).recordEnd(tx, ctx, session, 'exit'));
    expect(await entries('impersonation.ended')).toBe(1);
  });

  it('to identify the app that has planned a change', async () => {
    await world.sql(`UPDATE apps SET service_scopes = '{apps:write}' WHERE id = $1`, [app.id]);
    const change = { id: 'one', credential: 'service_token', plannedByApp: app.id, createdAt: new Date() };
    const found = await inTransaction((tx) => get(ChangePlanners).identify(change as ScheduledChange, tx));
    expect(found?.actor).toMatchObject({ type: 'service', appId: app.id, tenantId: app.tenantId });
  });
});
