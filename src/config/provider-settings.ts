/** External identity providers, in the order of the specification; `google` is "the first". */
export const PROVIDERS = ['google', 'microsoft', 'github', 'apple'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

interface Endpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
}

interface OpenIdEndpoints extends Endpoints {
  /** The exact `iss` of ID tokens. Microsoft's may contain `{tenantid}`, which is replaced by the token's own `tid`. */
  readonly issuer: string;
  readonly jwksUrl: string;
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface GoogleSettings extends Credentials, OpenIdEndpoints {
  readonly userinfoUrl: string;
}

export interface MicrosoftSettings extends Credentials, OpenIdEndpoints {}

export interface GithubSettings extends Credentials, Endpoints {
  /** The account. Its e-mail addresses are at this URL followed by `/emails`. */
  readonly userinfoUrl: string;
  /** Compared with `iss` in the callback if present (RFC 9207); null: not checked. */
  readonly issuer: string | null;
}

/** Apple's client secret is a JWT, signed for each request. */
export interface AppleSettings extends OpenIdEndpoints {
  readonly clientId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** PEM of the P-256 key. */
  readonly privateKey: string;
}

/** Null: not configured, so the provider is not offered. */
export interface ProviderSettings {
  readonly google: GoogleSettings | null;
  readonly microsoft: MicrosoftSettings | null;
  readonly github: GithubSettings | null;
  readonly apple: AppleSettings | null;
}

/** Display names of the providers. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
  apple: 'Apple',
};

export function isProviderName(name: string): name is ProviderName {
  return (PROVIDERS as readonly string[]).includes(name);
}

/** The configured providers among an app's `allowed_providers`, in the app's order. */
export function offeredProviders(settings: ProviderSettings, allowed: readonly string[]): ProviderName[] {
  return [...new Set(allowed)].filter((name) => isProviderName(name)).filter((name) => settings[name] !== null);
}
