import { describe, expect, it } from '@jest/globals';
import {
  readAssertion,
  readRegistration,
} from '../../../../../../src/auth/credentials/passkeys/ceremonies/credential-json.js';
import { InvalidPasskey } from '../../../../../../src/auth/credentials/passkeys/stored/passkeys.errors.js';

const part = (value: string) => Buffer.from(value).toString('base64url');

function answer(idBytes: number): string {
  const response = {
    clientDataJSON: part(JSON.stringify({ challenge: part('challenge') })),
    attestationObject: part('a'),
    authenticatorData: part('b'),
    signature: part('c'),
  };
  return JSON.stringify({ id: Buffer.alloc(idBytes, 7).toString('base64url'), type: 'public-key', response });
}

// WebAuthn Level 3, section 7.1: a longer one fits into no index of the database.
describe('The credential id of an authenticator', () => {
  it.each([readRegistration, readAssertion])('may have 1,023 bytes (%p)', (read) => {
    expect(read(answer(1_023)).credentialId).toHaveLength(1_023);
  });

  it.each([1_024, 3_000])('is refused with %s bytes', (bytes) => {
    for (const read of [readRegistration, readAssertion]) expect(() => read(answer(bytes))).toThrow(InvalidPasskey);
  });
});
