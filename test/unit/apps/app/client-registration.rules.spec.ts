import { describe, expect, it } from '@jest/globals';
import { ownClientId, readRegistrationClientId } from '../../../../src/apps/app/client-id.rules.js';
import { readRegistration, registeredMetadata } from '../../../../src/apps/app/client-registration.rules.js';
import type { App } from '../../../../src/apps/app/app.entity.js';

const BASE = 'https://id.example.com';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const GOOD = { redirect_uris: ['http://127.0.0.1/cb', 'com.example.reader:/cb', 'https://reader.example/cb'] };

describe('Request to register a client', () => {
  const read = (more: object) => readRegistration({ ...GOOD, ...more }, BASE);

  it('needs redirect URIs only, and each once', () => {
    expect(read({ redirect_uris: [...GOOD.redirect_uris, 'http://127.0.0.1/cb'] })).toEqual({
      redirectUris: GOOD.redirect_uris,
      clientName: null,
    });
  });

  it.each(['Reader', 'L\u2019Atelier de Zo\u00eb', '\u8aad\u66f8 2'])('may call itself %s', (client_name) => {
    expect(read({ client_name })).toMatchObject({ clientName: client_name });
  });

  it.each([undefined, 'none', 'client_secret_basic', 'client_secret_post'])(
    'with the method %s becomes a client without a secret',
    (token_endpoint_auth_method) => {
      const asked = read({ token_endpoint_auth_method, grant_types: ['authorization_code', 'implicit', DEVICE] });
      expect('error' in asked ? asked : registeredMetadata(asked)).toEqual({
        ...GOOD,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      });
    },
  );

  it.each([
    ['no list', { redirect_uris: 'https://reader.example/cb' }],
    ['no URI', { redirect_uris: [] }],
    ['no text', { redirect_uris: [1] }],
    ['too many URIs', { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://reader.example/${n}`) }],
    ['http elsewhere', { redirect_uris: ['http://reader.example/cb'] }],
    ['a fragment', { redirect_uris: ['https://reader.example/cb#'] }],
    ['a wildcard', { redirect_uris: ['https://*.reader.example/cb'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a scheme that is no reverse domain name', { redirect_uris: ['reader:/cb'] }],
    ['an address of the service', { redirect_uris: [`${BASE}/account`] }],
    ['letters that are not ASCII', { redirect_uris: ['https://reader.example/\u65e5'] }],
    ['one wrong URI of two', { redirect_uris: ['https://reader.example/cb', 'http://reader.example/cb'] }],
  ])('is no good with %s', (_name, more) => {
    expect(read(more)).toMatchObject({ error: 'invalid_redirect_uri' });
  });

  it.each([
    ['a method with a key', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['a method that is no text', { token_endpoint_auth_method: ['none'] }],
    ['a method that is null', { token_endpoint_auth_method: null }],
    ['the device grant only', { grant_types: [DEVICE] }],
    ['service tokens only', { grant_types: ['client_credentials'] }],
    ['token exchange only', { grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] }],
    ['grants that are no list', { grant_types: 'authorization_code' }],
    ['tokens in the answer', { response_types: ['token'] }],
    ['responses that are no list', { response_types: 'code' }],
    ['a name that is no text', { client_name: 1 }],
    ['an empty name', { client_name: ' ' }],
    ['a long name', { client_name: 'x'.repeat(101) }],
    ['a name of two lines', { client_name: 'Reader\nBoard' }],
    ['a name that turns the text around', { client_name: 'Reader\u202Edraob' }],
    ['a name that ends its quotation', { client_name: 'Reader\u201d, checked by your administrator. \u201cX' }],
    ['a name that looks like nothing', { client_name: '\u3164' }],
    ['a name of signs', { client_name: '--' }],
    ['a name of two paragraphs', { client_name: 'Reader\u2029Board' }],
    ['a heap of accents', { client_name: 'Re\u0301\u0301\u0301\u0301ader' }],
    ['much else', { contacts: ['x'.repeat(5 * 1024)] }],
  ])('is no good with %s, either', (_name, more) => {
    expect(read(more)).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it.each([null, undefined, 'text', [GOOD]])('is an object, and not %j', (body) => {
    expect(readRegistration(body, BASE)).toMatchObject({ error: 'invalid_client_metadata' });
  });
});

describe('Client id of a registration', () => {
  const ID = '11111111-1111-4111-8111-111111111111';

  it('is distinct from the id of an app and from the URL of a document', () => {
    const app = { id: ID, metadataUrl: null, registrationId: null } as App;
    const own = ownClientId({ ...app, registrationId: ID });
    expect(readRegistrationClientId(own)).toBe(ID);
    expect(ownClientId(app)).toBe(ID);
    expect(ownClientId({ ...app, metadataUrl: 'https://a.example/x' })).toBe('https://a.example/x');
    expect(['', ID, 'reg_', 'reg_x', `REG_${ID}`, `reg_${ID.replace('1', 'A')}`].map(readRegistrationClientId)).toEqual(
      [...[null, null, null, null, null, null]],
    );
  });
});
