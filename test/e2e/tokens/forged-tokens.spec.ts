import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { FORGERIES, type ForgeryMaterial } from '../../support/forgeries.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

// security 55: with the platform admin's claims, so that a token wrongly taken would open everything.
describe('Forged token', () => {
  let service: TestApp;
  let world: World;
  let listener: Server;
  let contacts = 0;
  let material: ForgeryMaterial;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    listener = createServer((_, response) => {
      contacts++;
      response.end('{"keys":[]}');
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { body } = await world.call<{ keys: Record<string, string>[] }>('GET', '/.well-known/jwks.json');
    const key = service.nest.get(SigningKeys, { strict: false }).current();
    material = {
      genuine: world.admin.token,
      jwk: body.keys.find(({ kid }) => kid === key.kid)!,
      privateKey: key.privateKey,
      foreignKeySet: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/keys`,
    };
  });

  afterAll(async () => {
    listener.close();
    await world.close();
    await service.close();
  });

  const atEveryDoor = async (token: string) => ({
    verify: await world.call('POST', '/token/verify', { token, audience: world.platformConsoleId }),
    admin: await world.call('GET', '/admin/users?limit=1', undefined, { token }),
    userinfo: await world.call('GET', '/userinfo', undefined, { token }),
  });

  it('would be accepted everywhere if it were genuine (control of these tests)', async () => {
    const { verify, admin, userinfo } = await atEveryDoor(material.genuine);
    expect([verify.body['valid'], admin.status, userinfo.status]).toEqual([true, 200, 200]);
  });

  it.each(FORGERIES)('with %s is rejected at /token/verify and as a bearer (security 55)', async (_, forge) => {
    const token = await forge(material);
    const { verify, admin, userinfo } = await atEveryDoor(token);
    expect([verify.status, verify.body]).toEqual([200, { valid: false, error: expect.any(String) }]);
    expect(JSON.stringify(verify.body)).not.toContain(token);
    expect([admin.status, admin.body]).toEqual([401, { detail: 'Not authenticated' }]);
    expect(admin.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect([userinfo.status, userinfo.body['detail']]).toEqual([401, 'Invalid token']);
    expect(userinfo.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('never makes the service fetch a key from an address in its header', async () => {
    for (const [name, forge] of FORGERIES) {
      if (/jku|x5u/.test(name)) await atEveryDoor(await forge(material));
    }
    expect(contacts).toBe(0);
  });

  it('is rejected again after the genuine one was verified and cached', async () => {
    const forge = FORGERIES.find(([name]) => name === 'an altered payload')![1];
    const token = await forge(material);
    await atEveryDoor(token);
    await atEveryDoor(material.genuine);
    expect((await atEveryDoor(token)).admin.status).toBe(401);
  });
});
