import { generateKeyPairSync } from 'node:crypto';
import type { ProviderName, ProviderSettings } from '../../../config/provider-settings.js';
import type { Settings } from '../../../config/settings.js';

const STAND_IN_PATH = '/dev/provider';
/** Not a real secret: the stand-in runs on the same machine and accepts every caller that reaches it. */
export const STAND_IN_SECRET = 'stand-in';

/** Client id of this service at the provider. */
export function standInClient(name: ProviderName): string {
  return `identity-broker-${name}`;
}

/** The address on which the service listens, not BASE_URL, which may be a proxy that this machine cannot reach. */
export function ownAddress({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
  return `http://${reachable}:${port}`;
}

export function standInIssuer(settings: Pick<Settings, 'host' | 'port'>, name: ProviderName): string {
  return `${ownAddress(settings)}${STAND_IN_PATH}/${name}`;
}

/** In the embedded mode, the stand-in replaces all four providers, unless one is configured. */
export function withStandInProviders(settings: Settings): Settings {
  const { providers, baseUrl } = settings;
  if (Object.values(providers).some((provider) => provider !== null)) return settings;
  const endpoints = (name: ProviderName) => ({
    clientId: standInClient(name),
    authorizationUrl: `${baseUrl}${STAND_IN_PATH}/${name}/authorize`,
    tokenUrl: `${standInIssuer(settings, name)}/token`,
    issuer: standInIssuer(settings, name),
    jwksUrl: `${ownAddress(settings)}${STAND_IN_PATH}/jwks`,
  });
  const clientSecret = STAND_IN_SECRET;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stoodIn: ProviderSettings = {
    google: { ...endpoints('google'), clientSecret, userinfoUrl: `${standInIssuer(settings, 'google')}/userinfo` },
    microsoft: { ...endpoints('microsoft'), clientSecret },
    github: { ...endpoints('github'), clientSecret, userinfoUrl: `${standInIssuer(settings, 'github')}/user` },
    apple: {
      ...endpoints('apple'),
      teamId: 'STAND-IN',
      keyId: 'stand-in',
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    },
  };
  return Object.freeze({ ...settings, providers: stoodIn });
}

/** Whether this provider is the stand-in. */
export function isStandIn(settings: Settings, name: ProviderName): boolean {
  return settings.providers[name]?.authorizationUrl === `${settings.baseUrl}${STAND_IN_PATH}/${name}/authorize`;
}
