import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { SsoSessionsService } from '../../../src/auth/session/sso-sessions.service.js';
import { SignInEnding } from '../../../src/auth/sign-in/sign-in-ending.service.js';
import { Randomness } from '../../../src/common/randomness.js';
import { systemContext } from '../../../src/common/request-context.js';
import { SETTINGS, type Settings } from '../../../src/config/settings.js';
import { PasswordHasher, type PasswordVerdict } from '../../../src/crypto/password-hasher.js';
import { Transactions } from '../../../src/database/transactions.js';
import { ProofGuard } from '../../../src/users/proof-guard.js';
import { ProofOutdated } from '../../../src/users/proof-outdated.js';
import { proofOf } from '../../../src/users/proof.js';
import { UsersService } from '../../../src/users/users.service.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { asAnotherRequest } from '../../support/one-connection.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

/** The real one; what it has found is told only when `hold` is over. */
class SlowHasher extends PasswordHasher {
  hold: ((verdict: PasswordVerdict) => Promise<void>) | null = null;

  override async verify(password: string, stored: string | null): Promise<PasswordVerdict> {
    const verdict = await super.verify(password, stored);
    const hold = this.hold;
    this.hold = null;
    await hold?.(verdict);
    return verdict;
  }
}

describe('Held sign-in proof', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    const factory = (settings: Settings, randomness: Randomness) => new SlowHasher(settings, randomness);
    service = await startTestApp({
      override: (builder) =>
        builder.overrideProvider(PasswordHasher).useFactory({ factory, inject: [SETTINGS, Randomness] }),
    });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const part = <T>(type: Type<T>): T => service.nest.get<T>(type, { strict: false });
  const inTransaction: Transactions['run'] = (work) => part(Transactions).run(work);
  const sessionsOf = ({ id }: TestUser) => part(SsoSessionsService).listLive(id);
  const setPassword = ({ id }: TestUser) =>
    world.asAdmin('PUT', `/admin/users/${id}/password`, { new_password: `another ${unique()}` });

  it('makes a reset wait for tokens being issued, and then end them', async () => {
    const user = await world.user(app);
    const proof = proofOf(await part(UsersService).get(user.id));
    const ended = await inTransaction(async (tx) => {
      const held = await part(ProofGuard).hold(tx, proof);
      const reset = asAnotherRequest(() =>
        inTransaction((other) => part(UsersService).revokeAllSessionsAndTokens(other, user.id)),
      );
      await Promise.race([reset, sleep(500)]);
      const shown = { authTime: new Date(), amr: ['pwd'] };
      await part(SsoSessionsService).open(tx, systemContext('test'), held, shown, null);
      return { reset };
    });
    await ended.reset;
    expect(await sessionsOf(user)).toEqual([]);
  });

  it('is needed because a reset takes the time when it ends sessions, not when its transaction began', async () => {
    const user = await world.user(app);
    await inTransaction(async (tx) => {
      await tx.query('SELECT now()');
      await world.tokens(user, app.id);
      await part(UsersService).revokeAllSessionsAndTokens(tx, user.id);
    });
    expect(await sessionsOf(user)).toEqual([]);
  });

  it('keeps tokens that the same transaction issues after ending all sessions', async () => {
    const user = await world.user(app);
    const proof = proofOf(await part(UsersService).get(user.id));
    await inTransaction(async (tx) => {
      const held = await part(ProofGuard).hold(tx, proof);
      await part(UsersService).revokeAllSessionsAndTokens(tx, user.id);
      const shown = { authTime: new Date(), amr: ['pwd'] };
      await part(SsoSessionsService).open(tx, systemContext('test'), held, shown, null);
    });
    expect(await sessionsOf(user)).toHaveLength(1);
  });

  it.each(['over JSON', 'on the hosted page'])(
    'describes the account as it was before the password was compared, %s',
    async (where) => {
      const user = await world.user(app);
      const browser = new HostedBrowser(world.baseUrl);
      const form = await browser.get(loginPath(app));
      const fields = { form_token: form.formToken(), email: user.email, password: user.password };
      const verdicts: boolean[] = [];
      (part(PasswordHasher) as SlowHasher).hold = async ({ matches }) => {
        verdicts.push(matches);
        await setPassword(user);
      };
      const answer =
        where === 'over JSON' ? await world.login(user, app.id) : await browser.post(form.formAction(), fields);
      expect([verdicts, answer.status]).toEqual([[true], 401]);
      expect(await sessionsOf(user)).toEqual([]);
    },
  );

  it('gives nothing at the end of another user’s sign-in', async () => {
    const [owner, other] = [await world.user(app), await world.user(app)];
    const users = part(UsersService);
    const [proof, user] = [proofOf(await users.get(owner.id)), await users.get(other.id)];
    const client = (await part(AppDirectory).findOpen(app.id))!;
    const shown = { user, client, via: 'api', authTime: new Date(), amr: ['pwd'] } as const;
    const asked = { deviceId: null, scope: null, resource: null, claims: null, nonce: null };
    const session = { kind: 'new', replaced: null } as const;
    const given = inTransaction(async (tx) => {
      const held = await part(ProofGuard).hold(tx, proof);
      return part(SignInEnding).giveTokens(tx, systemContext('test'), held, { ...shown, ...asked, session });
    });
    await expect(given).rejects.toBeInstanceOf(ProofOutdated);
    expect([await sessionsOf(owner), await sessionsOf(other)]).toEqual([[], []]);
  });

  it('opens nothing in another transaction than its own', async () => {
    const user = await world.user(app);
    const proof = proofOf(await part(UsersService).get(user.id));
    const held = await inTransaction((tx) => part(ProofGuard).hold(tx, proof));
    const shown = { authTime: new Date(), amr: ['pwd'] };
    const late = inTransaction((tx) => part(SsoSessionsService).open(tx, systemContext('test'), held, shown, null));
    await expect(late).rejects.toThrow('A proof counts only in the transaction that holds it');
    expect(await sessionsOf(user)).toEqual([]);
  });

  it('is rejected after the account’s version has changed', async () => {
    const user = await world.user(app);
    const proof = proofOf(await part(UsersService).get(user.id));
    await setPassword(user);
    await expect(inTransaction((tx) => part(ProofGuard).hold(tx, proof))).rejects.toThrow('Not authenticated');
  });
});
