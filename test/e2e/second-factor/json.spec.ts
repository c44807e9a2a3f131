import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt, wrongCode } from '../../support/authenticator.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, type Tokens, World } from '../../support/world.js';

describe('A second factor by JSON', () => {
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  async function setUp(app: TestClient, person: Person): Promise<{ secret: string; backupCodes: string[] }> {
    const { body } = await world.login(person, app.id);
    const token = (body as unknown as Tokens).access_token;
    const setup = await world.call<{ secret: string }>('POST', '/account/totp/setup', {}, { token });
    expect(setup.status).toBe(200);
    const { secret } = setup.body;
    // The step before: the one of now is still to come in the test.
    const code = codeAt(secret, Date.now() / 1000 - 30);
    const confirm = await world.call<{ backup_codes: string[] }>('POST', '/account/totp/confirm', { code }, { token });
    expect(confirm.status).toBe(200);
    return { secret, backupCodes: confirm.body.backup_codes };
  }

  it('is set up, asked for and shown', async () => {
    const app = await world.app(await world.tenant());
    const person = await world.person(app);
    const { secret, backupCodes } = await setUp(app, person);
    expect(backupCodes).toHaveLength(10);
    const login = await world.login(person, app.id);
    expect(login.body).toEqual({ status: 'totp_required', totp_session: expect.any(String) });
    expect(login.headers.get('set-cookie')).toBeNull();
    const totp_session = (login.body as unknown as { totp_session: string }).totp_session;
    const wrong = await world.call('POST', '/auth/totp/verify', { totp_session, code: wrongCode(secret) });
    expect([wrong.status, wrong.body]).toEqual([401, { detail: 'Invalid TOTP code' }]);
    const right = await world.call<Tokens>('POST', '/auth/totp/verify', { totp_session, code: codeAt(secret) });
    expect(right.status).toBe(200);
    expect(right.body.token_type).toBe('Bearer');
    expect(right.headers.get('set-cookie')).toMatch(/sso=/);
    const again = await world.call('POST', '/auth/totp/verify', { totp_session, code: backupCodes[0] });
    expect([again.status, again.body]).toEqual([400, { detail: 'Invalid or expired TOTP session' }]);
  });
});
