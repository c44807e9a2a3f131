import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { ScriptedServer } from '../../support/servers/scripted-server.js';
import { type Kind, KINDS, TokenStage } from '../../support/token-kinds.js';

/** What POST /token/revoke ends; they are no use at other doors afterwards. */
const REVOCABLE: readonly Kind[] = ['refresh token', 'service token'];

// security 15, 39, 56
describe('Matrix of token kinds and endpoints', () => {
  let mailing: MailingService;
  let google: ScriptedOpenId;
  let receiver: ScriptedServer;
  let stage: TokenStage;

  beforeAll(async () => {
    [google, receiver] = await Promise.all([ScriptedOpenId.start(), ScriptedServer.start()]);
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    mailing = await startMailingService({ providers, allowPrivateNetworkTargets: true });
    stage = new TokenStage(mailing, google, receiver);
    await stage.open();
  });

  afterAll(async () => {
    await mailing.close();
    await Promise.all([google.close(), receiver.close()]);
  });

  /** With the same token all the time: that its own door opens at last shows that it was good at all the others. */
  it.each(KINDS)('%s: is accepted at its own endpoints only (security 56)', async (kind) => {
    let token = await stage.make(kind);
    for (const [name, { takes, knock }] of Object.entries(stage.doors)) {
      if (takes.includes(kind) || (name === 'POST /token/revoke' && REVOCABLE.includes(kind))) continue;
      const { opened, status } = await knock(token);
      expect([kind, name, opened, status < 500]).toEqual([kind, name, false, true]);
    }
    for (const [name, { takes, knock }] of Object.entries(stage.doors)) {
      if (!takes.includes(kind)) continue;
      expect([kind, name, (await knock(token)).opened]).toEqual([kind, name, true]);
      token = await stage.make(kind);
    }
  });

  it('has an endpoint for every kind except the logout token, which is for apps', () => {
    const taken = new Set(Object.values(stage.doors).flatMap(({ takes }) => takes));
    expect(KINDS.filter((kind) => !taken.has(kind))).toEqual(['logout token']);
  });
});
