import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { InvalidPasskey } from '../stored/passkeys.errors.js';

/** WebAuthn Level 3, sections 4 and 7.1. */
const MAX_ID_BYTES = 1_023;
/** Everything else of an answer is smaller than this. */
const MAX_CREDENTIAL_LENGTH = 16_384;

const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** AuthenticatorTransport (WebAuthn, section 5.8.4), with the older name of `hybrid`. */
export const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** What an authenticator answered, with the challenge that it says it answers. */
export interface ReadCredential<Response> {
  readonly response: Response;
  readonly credentialId: Buffer;
  /** base64url. */
  readonly challenge: string;
}

/** The answer to a registration (WebAuthn Level 3, RegistrationResponseJSON). @throws InvalidPasskey */
export function readRegistration(text: string): ReadCredential<RegistrationResponseJSON> {
  const { id, inner } = readCredential(text);
  const clientDataJSON = base64url(inner['clientDataJSON']);
  const transports = Array.isArray(inner['transports']) ? inner['transports'] : [];
  return {
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        attestationObject: base64url(inner['attestationObject']),
        transports: TRANSPORTS.filter((known) => transports.includes(known)),
      },
    },
    credentialId: Buffer.from(id, 'base64url'),
    challenge: challengeIn(clientDataJSON),
  };
}

/** The answer to a sign-in (AuthenticationResponseJSON). @throws InvalidPasskey */
export function readAssertion(
  text: string,
): ReadCredential<AuthenticationResponseJSON> & { readonly userHandle: Buffer | null } {
  const { id, inner } = readCredential(text);
  const clientDataJSON = base64url(inner['clientDataJSON']);
  const handle = inner['userHandle'];
  return {
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        authenticatorData: base64url(inner['authenticatorData']),
        signature: base64url(inner['signature']),
      },
    },
    credentialId: Buffer.from(id, 'base64url'),
    challenge: challengeIn(clientDataJSON),
    userHandle:
      handle === undefined || handle === null || handle === '' ? null : Buffer.from(base64url(handle), 'base64url'),
  };
}

/** Only the members that are used are passed to the library; all others are ignored. */
function readCredential(text: string): { id: string; inner: Fields } {
  if (text.length > MAX_CREDENTIAL_LENGTH) throw new InvalidPasskey('malformed');
  const outer = objectIn(text);
  const inner = outer?.['response'];
  if (!outer || !isObject(inner) || outer['type'] !== 'public-key') throw new InvalidPasskey('malformed');
  const id = base64url(outer['id']);
  if (Buffer.byteLength(id, 'base64url') > MAX_ID_BYTES) throw new InvalidPasskey('malformed');
  return { id, inner };
}

function challengeIn(clientDataJSON: string): string {
  return base64url(objectIn(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))?.['challenge']);
}

function base64url(value: unknown): string {
  if (typeof value !== 'string' || !BASE64URL.test(value)) throw new InvalidPasskey('malformed');
  return value;
}

function objectIn(text: string): Fields | null {
  try {
    const parsed = JSON.parse(text) as unknown;
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
