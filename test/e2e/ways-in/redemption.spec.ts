import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { systemContext } from '../../../src/common/request-context.js';
import { Transactions } from '../../../src/database/transactions.js';
import { InviteRedemption } from '../../../src/invites/redemption/invite-redemption.service.js';
import { UsersService } from '../../../src/users/users.service.js';
import { newInvite } from '../../support/invites.js';
import { newAddress } from '../../support/new-user.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

// security 85. What the endpoints look at beforehand, the redemption itself must refuse as well: things change between.
describe('Statement that redeems an invite', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  async function redeem(code: string, at = app): Promise<string> {
    const get = <T>(type: new (...args: never[]) => T) => service.nest.get(type, { strict: false });
    const user = (await get(UsersService).find((await world.user()).id))!;
    const client = (await get(AppDirectory).find(at.id))!;
    return get(Transactions)
      .run((tx) => get(InviteRedemption).redeem(tx, systemContext('test'), { code, user, app: client.app }))
      .then(
        () => 'redeemed',
        (error: Error) => error.message,
      );
  }

  it.each([
    ['a good one', async () => (await newInvite(world, app)).code, 'redeemed'],
    [
      'one mailed to another user',
      async () => (await newInvite(world, app, { send_to_email: newAddress() })).code,
      'Invite not valid for this e-mail',
    ],
    [
      'one that expires at this moment',
      async () => {
        const { id, code } = await newInvite(world, app);
        await world.sql('UPDATE invites SET expires_at = now() WHERE id = $1', [id]);
        return code;
      },
      'Invalid or expired invite',
    ],
    [
      'one that is revoked',
      async () => {
        const { id, code } = await newInvite(world, app);
        await world.asAdmin('DELETE', `/admin/invites/${id}`);
        return code;
      },
      'Invalid or expired invite',
    ],
    [
      'one of another app',
      async () => (await newInvite(world, await world.app(await world.tenant()))).code,
      'Invalid or expired invite',
    ],
    ['one that never was', async () => '0000000000000', 'Invalid or expired invite'],
    ['nonsense', async () => '%', 'Invalid or expired invite'],
  ])('returns the outcome for %s', async (_, make, outcome) => {
    expect(await redeem(await make())).toBe(outcome);
  });
});
