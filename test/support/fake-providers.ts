import { generateKeyPairSync } from 'node:crypto';
import type { ProviderName, ProviderSettings } from '../../src/config/provider-settings.js';
import { freePort } from './free-port.js';
import { GithubPeer } from './servers/github-peer.js';
import { type OpenIdPeer, startOpenIdPeer } from './servers/openid-peer.js';

/** All four providers, played by real peers, and the settings that point at them. */
export interface FakeProviders {
  readonly port: number;
  readonly baseUrl: string;
  readonly providers: ProviderSettings;
  readonly google: OpenIdPeer;
  readonly microsoft: OpenIdPeer;
  readonly apple: OpenIdPeer;
  readonly github: GithubPeer;
  close(): Promise<void>;
}

export const APPLE = { clientId: 'com.example.signin', teamId: 'TEAM123456', keyId: 'KEY1234567' };

/** The peers must know our callbacks, so the service's port is chosen first. @param host `localhost` for passkeys */
export async function startFakeProviders(host = '127.0.0.1'): Promise<FakeProviders> {
  const port = await freePort();
  const baseUrl = `http://${host}:${port}`;
  const callback = (name: ProviderName) => `${baseUrl}/oauth/${name}/callback`;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const secret = (name: string) => ({ clientId: `${name}-client`, clientSecret: `${name}-secret` });
  const [google, microsoft, apple, github] = await Promise.all([
    startOpenIdPeer({ ...secret('google'), redirectUri: callback('google') }),
    startOpenIdPeer({ ...secret('microsoft'), redirectUri: callback('microsoft') }),
    startOpenIdPeer({ clientId: APPLE.clientId, redirectUri: callback('apple'), signedSecretKey: key }),
    GithubPeer.start(),
  ]);
  return {
    port,
    baseUrl,
    providers: {
      google: { ...secret('google'), ...google.endpoints },
      microsoft: { ...secret('microsoft'), ...microsoft.endpoints },
      apple: { ...APPLE, ...apple.endpoints, privateKey: key },
      github: github.settings,
    },
    google,
    microsoft,
    apple,
    github,
    close: async () => {
      await Promise.all([google.close(), microsoft.close(), apple.close(), github.close()]);
    },
  };
}
