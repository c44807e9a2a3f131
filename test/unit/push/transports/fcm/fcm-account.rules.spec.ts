import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFcmAccount } from '../../../../../src/push/transports/fcm/fcm-account.rules.js';

const pem = (key: { privateKey: KeyObject }): string =>
  key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const account = {
  project_id: 'my-project',
  client_email: 'a@b.iam.gserviceaccount.com',
  private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 })),
};

describe('readFcmAccount', () => {
  it('gets tokens from Google by default', () => {
    expect(readFcmAccount(account, null)).toMatchObject({
      projectId: 'my-project',
      tokenUri: 'https://oauth2.googleapis.com/token',
    });
  });

  it('gets tokens from the operator’s address for Google', () => {
    expect(readFcmAccount(account, 'http://google.test:1')?.tokenUri).toBe('http://google.test:1/token');
  });

  it('gets tokens of the operator’s own account from the address in it', () => {
    const own = { ...account, token_uri: 'https://tokens.example/t' };
    expect(readFcmAccount(own, 'http://google.test:1')?.tokenUri).toBe('https://tokens.example/t');
  });

  it.each(['../x', 'a/b', 'a?b', 'a#b', 'a..b', 'A', '', 'a b', '%2e'])(
    'does not put %j into the path of a request',
    (project_id) => {
      expect(readFcmAccount({ ...account, project_id }, null)).toBeNull();
    },
  );

  it.each([
    ['no key', 'nonsense'],
    ['a key of another kind', pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }))],
    ['a key that is too short', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }))],
  ])('rejects %s', (_, private_key) => {
    expect(readFcmAccount({ ...account, private_key }, null)).toBeNull();
  });
});
