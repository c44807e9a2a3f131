import { createPrivateKey } from 'node:crypto';
import { isLoopbackHost } from './loopback.rules.js';
import type { ProviderSettings } from './provider-settings.js';
import { parseUrl } from '../common/validation/parse-url.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of the four providers. A provider without any setting is null. Errors are added to `faults`, by
 * variable name.
 */
export function readProviders(env: Environment, faults: string[]): ProviderSettings {
  const read = new ProviderReader(env, faults);
  return {
    google: read.google(),
    microsoft: read.microsoft(),
    github: read.github(),
    apple: read.apple(),
  };
}

class ProviderReader {
  constructor(
    private readonly env: Environment,
    private readonly faults: string[],
  ) {}

  google(): ProviderSettings['google'] {
    const credentials = this.together('GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET');
    const userinfoUrl = this.url('GOOGLE_USERINFO_URL', 'https://openidconnect.googleapis.com/v1/userinfo');
    // The strategy uses the path to distinguish Google's two answers.
    if (!/\/userinfo$/.test(userinfoUrl)) this.faults.push('GOOGLE_USERINFO_URL must end in /userinfo');
    const endpoints = {
      authorizationUrl: this.url('GOOGLE_AUTHORIZATION_URL', 'https://accounts.google.com/o/oauth2/v2/auth'),
      tokenUrl: this.url('GOOGLE_TOKEN_URL', 'https://oauth2.googleapis.com/token'),
      userinfoUrl,
      issuer: this.url('GOOGLE_ISSUER', 'https://accounts.google.com'),
      jwksUrl: this.url('GOOGLE_JWKS_URL', 'https://www.googleapis.com/oauth2/v3/certs'),
    };
    return credentials && { clientId: credentials[0]!, clientSecret: credentials[1]!, ...endpoints };
  }

  microsoft(): ProviderSettings['microsoft'] {
    const login = 'https://login.microsoftonline.com';
    const credentials = this.together('MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET');
    const endpoints = {
      authorizationUrl: this.url('MICROSOFT_AUTHORIZATION_URL', `${login}/common/oauth2/v2.0/authorize`),
      tokenUrl: this.url('MICROSOFT_TOKEN_URL', `${login}/common/oauth2/v2.0/token`),
      issuer: this.url('MICROSOFT_ISSUER', `${login}/{tenantid}/v2.0`),
      jwksUrl: this.url('MICROSOFT_JWKS_URL', `${login}/common/discovery/v2.0/keys`),
    };
    return credentials && { clientId: credentials[0]!, clientSecret: credentials[1]!, ...endpoints };
  }

  github(): ProviderSettings['github'] {
    const credentials = this.together('GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET');
    const endpoints = {
      authorizationUrl: this.url('GITHUB_AUTHORIZATION_URL', 'https://github.com/login/oauth/authorize'),
      tokenUrl: this.url('GITHUB_TOKEN_URL', 'https://github.com/login/oauth/access_token'),
      userinfoUrl: this.url('GITHUB_USERINFO_URL', 'https://api.github.com/user'),
      issuer: this.env['GITHUB_ISSUER'] ? this.url('GITHUB_ISSUER', '') : null,
    };
    return credentials && { clientId: credentials[0]!, clientSecret: credentials[1]!, ...endpoints };
  }

  apple(): ProviderSettings['apple'] {
    const credentials = this.together('APPLE_CLIENT_ID', 'APPLE_TEAM_ID', 'APPLE_KEY_ID', 'APPLE_PRIVATE_KEY');
    const apple = 'https://appleid.apple.com';
    const endpoints = {
      authorizationUrl: this.url('APPLE_AUTHORIZATION_URL', `${apple}/auth/authorize`),
      tokenUrl: this.url('APPLE_TOKEN_URL', `${apple}/auth/token`),
      issuer: this.url('APPLE_ISSUER', apple),
      jwksUrl: this.url('APPLE_JWKS_URL', `${apple}/auth/keys`),
    };
    if (!credentials) return null;
    const [clientId, teamId, keyId, key] = credentials as [string, string, string, string];
    return { clientId, teamId, keyId, privateKey: this.signingKey('APPLE_PRIVATE_KEY', key), ...endpoints };
  }

  /** All of these variables or none of them; an empty value counts as absent. */
  private together(...names: string[]): string[] | null {
    const values = names.map((name) => this.env[name]);
    const missing = names.filter((_, index) => !values[index]);
    if (missing.length === names.length) return null;
    const given = names.find((name) => !missing.includes(name))!;
    for (const name of missing) this.faults.push(`${name} is required with ${given}`);
    return missing.length > 0 ? null : (values as string[]);
  }

  /** https; http on a loopback address only, for a stand-in. */
  private url(name: string, fallback: string): string {
    const text = this.env[name];
    if (!text) return fallback;
    const url = parseUrl(text);
    const reachable = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
    if (url && reachable && !url.hash && !url.username && !url.password) return text;
    this.faults.push(`${name} must be an https URL (or http on a loopback address)`);
    return fallback;
  }

  /** Accepts `\n` for line breaks, because many places that store settings allow no multi-line values. */
  private signingKey(name: string, text: string): string {
    const pem = text.replaceAll('\\n', '\n');
    try {
      const key = createPrivateKey(pem);
      if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
        return key.export({ format: 'pem', type: 'pkcs8' }).toString();
      }
    } catch {
      // The error is reported below, without the content.
    }
    this.faults.push(`${name} must be the PEM of a P-256 private key (the .p8 file)`);
    return pem;
  }
}
