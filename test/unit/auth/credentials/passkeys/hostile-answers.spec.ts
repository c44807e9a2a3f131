import { describe, expect, it } from '@jest/globals';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from 'nid-webauthn-emulator';
import { PasskeyAssertion } from '../../../../../src/auth/credentials/passkeys/ceremonies/passkey-assertion.service.js';
import type { PasskeyChallenges } from '../../../../../src/auth/credentials/passkeys/challenges/passkey-challenges.service.js';
import { PasskeyRegistration } from '../../../../../src/auth/credentials/passkeys/ceremonies/passkey-registration.service.js';
import type { Passkey } from '../../../../../src/auth/credentials/passkeys/stored/passkey.entity.js';
import { InvalidPasskey } from '../../../../../src/auth/credentials/passkeys/stored/passkeys.errors.js';
import type { PasskeysRepository } from '../../../../../src/auth/credentials/passkeys/stored/passkeys.repository.js';
import { RelyingParty } from '../../../../../src/auth/credentials/passkeys/ceremonies/relying-party.js';
import { SystemRandomness } from '../../../../../src/common/system-randomness.js';
import type { Settings } from '../../../../../src/config/settings.js';
import { TestAuthenticator } from '../../../../support/passkeys.js';

const ORIGIN = 'http://localhost:8080';
const ANSWERS = 5_000;
const HANDLE = Buffer.alloc(64, 7);
const CHALLENGE = Buffer.alloc(32, 1);
const USER = { id: '9c1f7f3e-7a51-4f4e-9d5c-3a9f0e3b1c11', email: 'a@example.com', displayName: 'A' };

type Fields = Record<string, string>;
interface Answer {
  readonly id: string;
  readonly response: Fields;
}

/** Numbers from a seed: what fails can be run again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** One field of the answer with other bytes: changed, cut, or with something behind. */
function mutated(answer: Answer, pick: (below: number) => number): Answer {
  const names = ['id', ...Object.keys(answer.response).filter((name) => typeof answer.response[name] === 'string')];
  const name = names[pick(names.length)]!;
  const bytes = Buffer.from(name === 'id' ? answer.id : answer.response[name]!, 'base64url');
  const changed = [
    () => {
      for (let times = 0; times <= pick(4); times++) bytes[pick(bytes.length)]! ^= 1 << pick(8);
      return bytes;
    },
    () => bytes.subarray(0, pick(bytes.length)),
    () => Buffer.concat([bytes, Buffer.alloc(1 + pick(40), pick(256))]),
    () => Buffer.concat([bytes.subarray(0, pick(bytes.length)), Buffer.alloc(pick(20), pick(256)), bytes]),
  ][pick(4)]!().toString('base64url');
  if (name === 'id') return { ...answer, id: changed };
  return { ...answer, response: { ...answer.response, [name]: changed } };
}

const challenges = {
  make: () => Promise.resolve(Uint8Array.from(CHALLENGE)),
  take: (challenge: string) =>
    challenge === CHALLENGE.toString('base64url') ? Promise.resolve() : Promise.reject(new InvalidPasskey('challenge')),
} as unknown as PasskeyChallenges;

/** Holds one passkey. */
function repositoryOf(kept: Partial<Passkey> | null): PasskeysRepository {
  return {
    listOf: () => Promise.resolve([]),
    listPolicies: () => Promise.resolve([]),
    findHandle: () => Promise.resolve(HANDLE),
    findByCredentialId: (id: Buffer) => Promise.resolve(kept?.credentialId?.equals(id) ? kept : null),
  } as unknown as PasskeysRepository;
}

async function outcome<Result>(run: () => Promise<Result>): Promise<Result | 'refused'> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof InvalidPasskey) return 'refused';
    throw error;
  }
}

// 10,000 answers from a seed. What is not refused as an invalid passkey would be a 500.
describe('Hostile answers of authenticators', () => {
  const party = new RelyingParty({ baseUrl: ORIGIN } as Settings);
  const device = new TestAuthenticator(ORIGIN, { isSynced: false });
  const registration = new PasskeyRegistration(party, challenges, repositoryOf(null), new SystemRandomness());

  it('are refused at a registration, or leave a key that was in the answer', async () => {
    const options = (await registration.options(
      USER,
      'register:x',
    )) as unknown as PublicKeyCredentialCreationOptionsJSON;
    const good = JSON.parse(device.create(options)) as Answer;
    expect(
      await outcome(() => registration.verify(JSON.stringify({ ...good, type: 'public-key' }), 'register:x')),
    ).not.toBe('refused');
    const pick = numbers(20_261_125);
    for (let round = 0; round < ANSWERS; round++) {
      const answer = mutated(good, pick);
      const made = await outcome(() => registration.verify(JSON.stringify(answer), 'register:x'));
      if (made === 'refused') continue;
      const object = Buffer.from(answer.response['attestationObject']!, 'base64url');
      expect(object.includes(made.credentialId)).toBe(true);
      const data = JSON.parse(Buffer.from(answer.response['clientDataJSON']!, 'base64url').toString()) as object;
      const challenge = CHALLENGE.toString('base64url');
      expect(data).toMatchObject({ type: 'webauthn.create', challenge, origin: ORIGIN });
    }
  });

  it('are refused at a sign-in, unless everything that was signed is as it was', async () => {
    const created = (await registration.options(
      USER,
      'register:x',
    )) as unknown as PublicKeyCredentialCreationOptionsJSON;
    const made = await registration.verify(device.create(created), 'register:x');
    const kept = { ...made, id: 'x', userId: USER.id } as unknown as Passkey;
    const assertions = new PasskeyAssertion(party, challenges, repositoryOf(kept));
    const options = (await assertions.options('sign-in:x')) as unknown as PublicKeyCredentialRequestOptionsJSON;
    const good = JSON.parse(device.get(options)) as Answer;
    const verify = (answer: Answer) =>
      outcome(() => assertions.verify(JSON.stringify(answer), { context: 'sign-in:x' }, null));
    expect(await verify(good)).not.toBe('refused');
    const pick = numbers(42);
    let refused = 0;
    for (let round = 0; round < ANSWERS; round++) {
      const answer = mutated(good, pick);
      if ((await verify(answer)) === 'refused') refused++;
      else
        for (const name of ['clientDataJSON', 'authenticatorData', 'userHandle'])
          expect(answer.response[name]).toBe(good.response[name]);
    }
    expect(refused).toBeGreaterThan(ANSWERS * 0.9);
  });
});
