import { describe, expect, it } from '@jest/globals';
import {
  chosenFramework,
  FRAMEWORKS,
  frameworksFor,
} from '../../../src/console/apps/integration/snippets/frameworks.js';

const values = (redirectUri: string | null) => ({
  issuer: 'https://id.example.com',
  appId: 'the-app',
  appName: 'A "quoted" app',
  redirectUri,
  method: 'secret' as const,
});
const write = (name: string, redirectUri: string | null) => {
  const shown = values(redirectUri);
  return chosenFramework(name, shown).write(shown);
};

describe('Snippet of an app', () => {
  it.each(FRAMEWORKS.map(({ name }) => name))('for %s names the issuer and the app', (name) => {
    const text = write(name, 'https://app.example.com/cb');
    expect(text).toContain('https://id.example.com');
    expect(text).toContain('the-app');
  });

  it.each(['node', 'spa', 'python', 'go'])('for %s has the first redirect URI, or one to replace', (name) => {
    expect(write(name, 'https://app.example.com/cb')).toContain('"https://app.example.com/cb"');
    expect(write(name, null)).toContain('"https://your-app.example/callback"');
  });

  it('for Next.js has the callback of Auth.js at the app’s origin, and quotes the name', () => {
    const text = write('next', 'https://app.example.com/cb');
    expect(text).toContain('https://app.example.com/api/auth/callback/broker');
    expect(text).toContain('name: "A \\"quoted\\" app"');
    expect(write('next', 'com.example.app:/callback')).toContain('https://your-app.example/api/auth/callback/broker');
  });

  it('for Node.js allows plain http only where the issuer uses it', () => {
    expect(write('node', null)).not.toContain('allowInsecureRequests');
    const local = { ...values(null), issuer: 'http://127.0.0.1:3000' };
    expect(chosenFramework('node', local).write(local)).toContain('allowInsecureRequests');
  });

  it('for curl asks for a code where an app on a device would get tokens otherwise', () => {
    expect(write('curl', 'https://app.example.com/callback?a=b')).toContain(
      'https://id.example.com/login?app_id=the-app&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback%3Fa%3Db&state=<state>',
    );
    expect(write('curl', null)).toContain('&redirect_uri=<redirect_uri>&state=');
    expect(write('curl', 'com.example.app:/callback')).toContain(
      '&redirect_uri=com.example.app%3A%2Fcallback&response_type=code&state=',
    );
    expect(write('curl', 'http://127.0.0.1/callback')).not.toContain('response_type');
  });

  it.each(['node', 'next', 'spa', 'python', 'go', 'curl'])('for %s has no secret for a public client', (name) => {
    const shown = { ...values('https://app.example.com/cb'), method: 'none' as const };
    expect(chosenFramework(name, shown).write(shown)).not.toMatch(/client_?secret/i);
  });

  it('for an app with a key signs, and is only offered where the library can', () => {
    const shown = { ...values('https://app.example.com/cb'), method: 'key' as const };
    expect(frameworksFor(shown).map(({ name }) => name)).toEqual(['node', 'curl']);
    expect(chosenFramework('go', shown).write(shown)).toContain('PrivateKeyJwt(key)');
    expect(chosenFramework('curl', shown).write(shown)).toContain('"client_assertion":"<signed JWT>"');
  });

  it('is for Node.js by default, and curl for an app on a device', () => {
    expect(chosenFramework(undefined, values(null)).name).toBe('node');
    expect(chosenFramework('basic', values('com.example.app:/callback')).name).toBe('curl');
  });
});
