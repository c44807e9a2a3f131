import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import webpush from 'web-push';
import { VapidSignatures } from '../../../../src/push/transports/vapid-signatures.js';
import { FakeClock } from '../../../support/fake-clock.js';

describe('VAPID signatures', () => {
  const keys = webpush.generateVAPIDKeys();
  const contact = 'mailto:ops@example.com';
  const claims = (header: string) => decodeJwt(/^vapid t=([^,]+),/.exec(header)![1]!);

  it('name the push service and work for all its endpoints', () => {
    const signatures = new VapidSignatures(new FakeClock());
    const header = signatures.header('https://push.example/a', contact, keys);
    expect(claims(header)).toMatchObject({ aud: 'https://push.example', sub: contact });
    expect(signatures.header('https://push.example/b', contact, keys)).toBe(header);
  });

  it('differ for another push service and for another app', () => {
    const signatures = new VapidSignatures(new FakeClock());
    const header = signatures.header('https://push.example/a', contact, keys);
    expect(claims(signatures.header('https://other.example/a', contact, keys)).aud).toBe('https://other.example');
    expect(signatures.header('https://push.example/a', contact, webpush.generateVAPIDKeys())).not.toBe(header);
  });

  it('are renewed long before they expire', () => {
    const clock = new FakeClock();
    const signatures = new VapidSignatures(clock);
    const { exp } = claims(signatures.header('https://push.example/a', contact, keys));
    clock.advance(3_601);
    expect(claims(signatures.header('https://push.example/a', contact, keys)).exp).toBe(exp! + 3_601);
    expect(exp! - clock.seconds()).toBeGreaterThan(10 * 3_600);
  });
});
