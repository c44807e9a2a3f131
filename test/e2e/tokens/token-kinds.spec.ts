import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { ScriptedServer } from '../../support/servers/scripted-server.js';
import { type Kind, KINDS, TokenFixture } from '../../support/token-kinds.js';

/** What POST /token/revoke ends; they are no use at other endpoints afterwards. */
const REVOCABLE: readonly Kind[] = ['refresh token', 'service token'];

// security 15, 39, 56
describe('Matrix of token kinds and endpoints', () => {
  let mailing: MailingService;
  let google: ScriptedOpenId;
  let receiver: ScriptedServer;
  let fixture: TokenFixture;

  beforeAll(async () => {
    [google, receiver] = await Promise.all([ScriptedOpenId.start(), ScriptedServer.start()]);
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    mailing = await startMailingService({ providers, allowPrivateNetworkTargets: true });
    fixture = new TokenFixture(mailing, google, receiver);
    await fixture.open();
  });

  afterAll(async () => {
    await mailing.close();
    await Promise.all([google.close(), receiver.close()]);
  });

  /** With the same token all the time: that its own endpoint opens at last shows that it was good at all the others. */
  it.each(KINDS)('%s: is accepted at its own endpoints only (security 56)', async (kind) => {
    let token = await fixture.make(kind);
    for (const [name, { takes, present }] of Object.entries(fixture.endpoints)) {
      if (takes.includes(kind) || (name === 'POST /token/revoke' && REVOCABLE.includes(kind))) continue;
      const { accepted, status } = await present(token);
      expect([kind, name, accepted, status < 500]).toEqual([kind, name, false, true]);
    }
    for (const [name, { takes, present }] of Object.entries(fixture.endpoints)) {
      if (!takes.includes(kind)) continue;
      expect([kind, name, (await present(token)).accepted]).toEqual([kind, name, true]);
      token = await fixture.make(kind);
    }
  });

  it('has an endpoint for every kind except the logout token, which is for apps', () => {
    const taken = new Set(Object.values(fixture.endpoints).flatMap(({ takes }) => takes));
    expect(KINDS.filter((kind) => !taken.has(kind))).toEqual(['logout token']);
  });
});
