import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CompactSign, type CryptoKey } from 'jose';
import { jwtPart, readJwt } from './jwt-parts.js';

/** What an attacker may know, and the private key for what only we could have signed. */
export interface ForgeryMaterial {
  /** A good access token. */
  readonly genuine: string;
  /** The entry of the key set that verifies it. */
  readonly jwk: Readonly<Record<string, string>>;
  readonly privateKey: CryptoKey | KeyObject;
  /** Where a verifier that trusts the token's own header would fetch a key. */
  readonly foreignKeySet: string;
}

type Forge = (material: ForgeryMaterial) => string | Promise<string>;

const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Every one differs from a good token in one thing, and none may be taken (RFC 8725; security 55). */
export const FORGERIES: readonly (readonly [string, Forge])[] = [
  ...['none', 'None', 'NONE', 'nOnE'].map((alg) => [`alg ${alg}`, unsigned(alg)] as const),
  [
    'alg none with the good signature',
    ({ genuine }) => `${unsignedParts(genuine, 'none')}.${readJwt(genuine).signature}`,
  ],
  ['no alg', ({ genuine }) => `${jwtPart({ kid: readJwt(genuine).header['kid'] })}.${genuine.split('.')[1]!}.x`],
  ['HS256 keyed with the public key as PEM', hmac((key) => pem(key))],
  ['HS256 keyed with the PEM without its last line end', hmac((key) => pem(key).trim())],
  ['HS256 keyed with the PEM behind a blank', hmac((key) => ` ${pem(key)}`)],
  ['HS256 keyed with the PEM behind a line end', hmac((key) => `\n${pem(key)}`)],
  ['HS256 keyed with the PEM in CRLF', hmac((key) => pem(key).replaceAll('\n', '\r\n'))],
  ['HS256 keyed with the PKCS #1 PEM', hmac((key) => key.export({ type: 'pkcs1', format: 'pem' }))],
  ['HS256 keyed with the DER', hmac((key) => key.export({ type: 'spki', format: 'der' }))],
  ['HS256 keyed with the JWK as JSON', hmac((_, jwk) => JSON.stringify(jwk))],
  ['HS256 keyed with the modulus', hmac((_, jwk) => Buffer.from(jwk['n']!, 'base64url'))],
  ['HS256 keyed with nothing', hmac(() => '')],
  ['ES256', ({ genuine }) => signed(genuine, { alg: 'ES256' }, elliptic.privateKey)],
  ['PS256 under our kid', ({ genuine }) => signed(genuine, { alg: 'PS256' }, foreign.privateKey)],
  ['a foreign RSA key under our kid', ({ genuine }) => signed(genuine, {}, foreign.privateKey)],
  ['an unknown kid', ({ genuine }) => signed(genuine, { kid: 'unknown' }, foreign.privateKey)],
  ['a kid that is a path', ({ genuine }) => signed(genuine, { kid: '../../../../dev/null' }, foreign.privateKey)],
  ['a kid that is a list', ({ genuine, jwk }) => signed(genuine, { kid: [jwk['kid']] }, foreign.privateKey)],
  ['a kid named __proto__', ({ genuine }) => signed(genuine, { kid: '__proto__' }, foreign.privateKey)],
  ['no kid', ({ genuine }) => signed(genuine, { kid: undefined }, foreign.privateKey)],
  ['its own key in the header (jwk)', ({ genuine }) => signed(genuine, { jwk: foreignJwk() }, foreign.privateKey)],
  [
    'its own key in the header (jwk) and no kid',
    ({ genuine }) => signed(genuine, { jwk: foreignJwk(), kid: undefined }, foreign.privateKey),
  ],
  [
    'an address of its key set (jku)',
    ({ genuine, foreignKeySet }) => signed(genuine, { jku: foreignKeySet, kid: 'foreign' }, foreign.privateKey),
  ],
  [
    'an address of its certificate (x5u)',
    ({ genuine, foreignKeySet }) => signed(genuine, { x5u: foreignKeySet, kid: 'foreign' }, foreign.privateKey),
  ],
  ['an unknown critical header', ours(() => ({}), { crit: ['exp'], exp: 1 })],
  ['an altered payload', ({ genuine }) => altered(genuine)],
  ['an altered header', ({ genuine }) => reheaded(genuine)],
  ['a cut signature', ({ genuine }) => genuine.slice(0, -4)],
  ['no signature', ({ genuine }) => `${genuine.split('.').slice(0, 2).join('.')}.`],
  ['two parts', ({ genuine }) => genuine.split('.').slice(0, 2).join('.')],
  ['four parts', ({ genuine }) => `${genuine}.${readJwt(genuine).signature}`],
  ['five parts', ({ genuine }) => `${genuine}.a.b`],
  ['padding', ({ genuine }) => `${genuine}=`],
  ['a comma and a second token', ({ genuine }) => `${genuine},${genuine}`],
  ['an expired token of ours', ours(({ iat }) => ({ exp: Number(iat) - 1 }))],
  ['no exp', ours(() => ({ exp: undefined }))],
  ['exp as text', ours(({ exp }) => ({ exp: String(exp) }))],
  ['nbf ahead', ours(({ iat }) => ({ nbf: Number(iat) + 600 }))],
  ['another issuer', ours(() => ({ iss: 'https://login.example' }))],
  ['our issuer with a slash', ours(({ iss }) => ({ iss: `${String(iss)}/` }))],
  ['no issuer', ours(() => ({ iss: undefined }))],
  ['a list as audience', ours(({ aud }) => ({ aud: [aud] }))],
  ['no audience', ours(() => ({ aud: undefined }))],
  ['no kind', ours(() => ({ token_use: undefined }))],
  ['the kind totp_session', ours(() => ({ token_use: 'totp_session' }))],
  ['the kind id', ours(() => ({ token_use: 'id' }))],
  ['the kind oauth_token', ours(() => ({ token_use: 'oauth_token' }))],
  ['a list as kind', ours(() => ({ token_use: ['access'] }))],
  ['more than 8 KB', ours(() => ({ padding: 'x'.repeat(8_192) }))],
  [
    'a claim given twice',
    ({ genuine, privateKey }) => {
      const json = Buffer.from(genuine.split('.')[1]!, 'base64url').toString();
      return sealed(genuine, json.replace('{', '{"sub":"00000000-0000-4000-8000-000000000000",'), privateKey);
    },
  ],
  ['a payload that is a list', ({ genuine, privateKey }) => sealed(genuine, '[]', privateKey)],
  ['a payload that is no JSON', ({ genuine, privateKey }) => sealed(genuine, 'access', privateKey)],
];

function pem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function foreignJwk(): object {
  return foreign.publicKey.export({ format: 'jwk' });
}

function unsignedParts(genuine: string, alg: string): string {
  return `${jwtPart({ ...readJwt(genuine).header, alg })}.${genuine.split('.')[1]!}`;
}

function unsigned(alg: string): Forge {
  return ({ genuine }) => `${unsignedParts(genuine, alg)}.`;
}

/** RFC 8725 section 2.1: a verifier that takes the public key for a shared secret. */
function hmac(secretOf: (key: KeyObject, jwk: Readonly<Record<string, string>>) => string | Buffer): Forge {
  return ({ genuine, jwk }) => {
    const parts = unsignedParts(genuine, 'HS256');
    const secret = secretOf(createPublicKey({ key: { ...jwk }, format: 'jwk' }), jwk);
    return `${parts}.${createHmac('sha256', secret).update(parts).digest('base64url')}`;
  };
}

/** The genuine claims under another key. */
function signed(genuine: string, header: Record<string, unknown>, key: KeyObject): string {
  const parts = `${jwtPart({ ...readJwt(genuine).header, ...header })}.${genuine.split('.')[1]!}`;
  const signature = sign('sha256', Buffer.from(parts), { key, dsaEncoding: 'ieee-p1363' });
  return `${parts}.${signature.toString('base64url')}`;
}

/** Other claims under our own key: what the signature alone does not catch. */
function ours(change: (claims: Record<string, unknown>) => object, header: Record<string, unknown> = {}): Forge {
  return ({ genuine, privateKey }) => {
    const { payload } = readJwt(genuine);
    return sealed(genuine, JSON.stringify({ ...payload, ...change(payload) }), privateKey, header);
  };
}

function sealed(
  genuine: string,
  json: string,
  key: CryptoKey | KeyObject,
  header: Record<string, unknown> = {},
): Promise<string> {
  return new CompactSign(Buffer.from(json))
    .setProtectedHeader({ ...readJwt(genuine).header, alg: 'RS256', ...header })
    .sign(key, { crit: { exp: true } });
}

function altered(genuine: string): string {
  const [header, , signature] = genuine.split('.');
  return `${header!}.${jwtPart({ ...readJwt(genuine).payload, roles: ['user', 'admin'] })}.${signature!}`;
}

function reheaded(genuine: string): string {
  const [, payload, signature] = genuine.split('.');
  return `${jwtPart({ ...readJwt(genuine).header, typ: 'JWT' })}.${payload!}.${signature!}`;
}
