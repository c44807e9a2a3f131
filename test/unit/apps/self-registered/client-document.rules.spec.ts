import { describe, expect, it } from '@jest/globals';
import {
  readClientUrl,
  readDocument,
  secondsToKeep,
} from '../../../../src/apps/self-registered/client-document.rules.js';
import { CLIENT_DOCUMENT_HOST, acceptsDocumentsOf } from '../../../../src/tenants/client-document-hosts.rules.js';

const URL_OF = 'https://agents.example.com/client.json';
const BASE = 'https://id.example.com';

describe('Address of a client document', () => {
  it.each([URL_OF, 'https://a.example:8443/x', 'https://a.example/x/y.json', 'https://a.example/x?v=2'])(
    '%s is one',
    (text) => {
      expect(readClientUrl(text)?.href).toBe(text);
    },
  );

  it.each([
    ['without TLS', 'http://agents.example.com/client.json'],
    ['without a path', 'https://agents.example.com'],
    ['with an empty path', 'https://agents.example.com/'],
    ['with a fragment', `${URL_OF}#a`],
    ['with an empty fragment', `${URL_OF}#`],
    ['with a user', 'https://ada@agents.example.com/client.json'],
    ['with an empty user', 'https://@agents.example.com/client.json'],
    ['with a password', 'https://a:b@agents.example.com/client.json'],
    ['with a dot segment', 'https://agents.example.com/./client.json'],
    ['with two dots', 'https://agents.example.com/a/../client.json'],
    ['with an encoded dot segment', 'https://agents.example.com/%2e%2e/client.json'],
    ['with an encoded slash', 'https://agents.example.com/a%2Fb'],
    ['in another case', 'https://Agents.example.com/client.json'],
    ['with the port of the scheme', 'https://agents.example.com:443/client.json'],
    ['with a blank', 'https://agents.example.com/a b'],
    ['that is too long', `https://agents.example.com/${'a'.repeat(512)}`],
    ['that is an id', '11111111-1111-4111-8111-111111111111'],
    ['of another scheme', 'javascript://agents.example.com/x'],
  ])('%s is none', (_name, text) => {
    expect(readClientUrl(text)).toBeNull();
  });
});

describe('Client document', () => {
  const good = { client_id: URL_OF, redirect_uris: ['http://127.0.0.1/cb', 'https://agents.example.com/cb'] };
  const read = (more: object) => readDocument({ ...good, ...more }, URL_OF, BASE);

  it('names redirect URIs, and devices where it asks for them', () => {
    expect(read({})).toEqual({ redirectUris: good.redirect_uris, usesDevices: false });
    expect(read({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] })?.usesDevices).toBe(true);
    expect(
      read({ token_endpoint_auth_method: 'none', client_name: 'Agent', logo_uri: 'https://x.example/' }),
    ).not.toBeNull();
  });

  it.each([
    ['another client', { client_id: 'https://agents.example.com/other.json' }],
    ['no client', { client_id: undefined }],
    ['a secret', { client_secret: 'x' }],
    ['a method with a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['a method with a key', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['no redirect URI', { redirect_uris: [] }],
    ['a redirect URI that is no text', { redirect_uris: [1] }],
    ['redirect URIs that are a text', { redirect_uris: 'https://agents.example.com/cb' }],
    ['too many redirect URIs', { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) }],
    ['a redirect URI without TLS', { redirect_uris: ['http://agents.example.com/cb'] }],
    ['a redirect URI with a wildcard', { redirect_uris: ['https://*.example.com/cb'] }],
    ['a redirect URI that leads here', { redirect_uris: [`${BASE}/account`] }],
    ['a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['grants that are a text', { grant_types: 'authorization_code' }],
  ])('with %s is refused', (_name, more) => {
    expect(read(more)).toBeNull();
  });

  it.each([null, [], 'text', 1])('that is %j is refused', (parsed) => {
    expect(readDocument(parsed, URL_OF, BASE)).toBeNull();
  });

  it.each([
    [null, 3600],
    ['max-age=600', 600],
    ['public, max-age="900"', 900],
    ['max-age=1', 300],
    ['max-age=999999999', 86400],
    ['no-store', 300],
    ['no-cache, max-age=7200', 300],
    ['s-maxage=9', 3600],
  ])('with Cache-Control %s counts for %i seconds', (header, seconds) => {
    expect(secondsToKeep(header)).toBe(seconds);
  });
});

describe('Hosts of client documents', () => {
  it.each(['*', 'agents.example.com', 'a.example:8443', 'localhost'])('%s can be named', (host) => {
    expect(CLIENT_DOCUMENT_HOST.test(host)).toBe(true);
  });

  it.each(['', '*.example.com', 'Agents.example.com', 'https://a.example', 'a.example/', 'a.example:80', '-a.example'])(
    '%s cannot',
    (host) => {
      expect(CLIENT_DOCUMENT_HOST.test(host)).toBe(false);
    },
  );

  it('are taken where they are named, or where all are', () => {
    expect(acceptsDocumentsOf([], 'a.example')).toBe(false);
    expect(acceptsDocumentsOf(['a.example'], 'b.a.example')).toBe(false);
    expect(acceptsDocumentsOf(['a.example'], 'a.example')).toBe(true);
    expect(acceptsDocumentsOf(['*'], 'a.example')).toBe(true);
  });
});
