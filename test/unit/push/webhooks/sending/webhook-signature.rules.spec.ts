import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { SystemRandomness } from '../../../../../src/common/system-randomness.js';
import { webhookHeaders, webhookId } from '../../../../../src/push/webhooks/sending/webhook-signature.rules.js';
import { newWebhookSecret, webhookKey } from '../../../../../src/push/settings/webhook-secret.js';

const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };

// security 98
describe('Webhook signature', () => {
  it('matches the published example', () => {
    // From the reference libraries' own tests.
    const headers = webhookHeaders(MESSAGE, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], new Date(1_614_265_330_000));
    expect(headers).toMatchObject({
      'webhook-id': MESSAGE.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is verified by the reference library with either of two secrets', () => {
    const [secret, previous, other] = [1, 2, 3].map(() => newWebhookSecret(new SystemRandomness())) as [
      string,
      string,
      string,
    ];
    const headers = webhookHeaders({ ...MESSAGE, body: '{"ü":"€"}' }, [secret, previous], new Date());
    for (const known of [secret, previous]) expect(new Webhook(known).verify('{"ü":"€"}', headers)).toEqual({ ü: '€' });
    expect(() => new Webhook(other).verify('{"ü":"€"}', headers)).toThrow('No matching signature');
    expect(() => new Webhook(secret).verify('{"ü":"$"}', headers)).toThrow('No matching signature');
  });

  it('covers id and time', () => {
    const secret = newWebhookSecret(new SystemRandomness());
    const headers = webhookHeaders(MESSAGE, [secret], new Date());
    const later = String(Number(headers['webhook-timestamp']) + 1);
    const changes: Record<string, string>[] = [{ 'webhook-id': webhookId('other') }, { 'webhook-timestamp': later }];
    for (const change of changes)
      expect(() => new Webhook(secret).verify(MESSAGE.body, { ...headers, ...change })).toThrow();
  });

  it('uses a key of 32 bytes', () => {
    expect(webhookKey(newWebhookSecret(new SystemRandomness()))).toHaveLength(32);
  });
});
