import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailLinksService } from '../../../src/auth/email-links/mail-links.service.js';
import { Transactions } from '../../../src/database/transactions.js';
import { UsersService } from '../../../src/users/users.service.js';
import { waitersForLocks } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

// security 20
describe('Mailed links', () => {
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

  it('of two that are made at the same time, only the second is valid', async () => {
    const of = <T>(provider: abstract new (...args: never[]) => T) => service.nest.get<T>(provider, { strict: false });
    const [links, transactions] = [of(MailLinksService), of(Transactions)];
    const user = await of(UsersService).get((await world.user()).id);
    let commit: () => void;
    const may = new Promise<void>((resolve) => (commit = resolve));
    let isMade = false;
    const make = (until?: Promise<void>) =>
      transactions.run(async (tx) => {
        const url = await links.make(tx, 'magic_link', user, null);
        isMade = true;
        await until;
        return new URL(url).searchParams.get('token')!;
      });
    const first = make(may);
    await eventually('the first is made', () => isMade);
    const second = make();
    await waitersForLocks(world, 1);
    commit!();
    const tokens = [await first, await second];
    const valid = await Promise.all(tokens.map((token) => links.isUsable(token, 'magic_link')));
    expect(valid).toEqual([false, true]);
  });
});
