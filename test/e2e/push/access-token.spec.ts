import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFcmAccount } from '../../../src/push/transports/fcm/fcm-account.rules.js';
import { FcmClient } from '../../../src/push/transports/fcm/fcm-client.js';
import { RecordingAgent } from '../../../src/push/transports/fcm/recording-agent.js';
import { fcmMessage } from '../../../src/push/transports/payload.rules.js';
import { FakeClock } from '../../support/fake-clock.js';
import { FcmServer } from '../../support/servers/fcm-server.js';

describe('FCM access token', () => {
  let fcm: FcmServer;
  let agent: RecordingAgent;
  beforeAll(async () => {
    fcm = await FcmServer.start();
    agent = new RecordingAgent(fcm.origin, new FakeClock());
  });
  afterAll(async () => {
    agent.destroy();
    await fcm.stop();
  });

  it('is fetched again and the message is resent if Google has revoked it', async () => {
    const message = fcmMessage(
      { notificationId: 'n-1', title: 'Hello', body: 'World', data: null, ttlSeconds: 60 },
      'device',
      new Date(),
    );
    const client = new FcmClient(readFcmAccount(fcm.account(), fcm.origin)!, agent, -1);
    expect(await client.send(message)).toEqual({ kind: 'taken' });
    fcm.revokeTokens();
    expect(await client.send(message)).toEqual({ kind: 'taken' });
    expect(fcm.assertions).toBe(2);
    expect(new Set(fcm.to('device').map(({ accessToken }) => accessToken)).size).toBe(2);
    await client.dispose();
  });
});
