/** The external identity providers, in the order of the specification; `google` is "the first". */
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
  /** The account; its addresses are at the same address followed by `/emails`. */
  readonly userinfoUrl: string;
  /** Compared with `iss` in the callback where it comes (RFC 9207); null: not looked at. */
  readonly issuer: string | null;
}

/** Apple's client secret is a signature made for each request. */
export interface AppleSettings extends OpenIdEndpoints {
  readonly clientId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** PEM of the P-256 key. */
  readonly privateKey: string;
}

/** Null: not configured, so the provider does not exist. */
export interface ProviderSettings {
  readonly google: GoogleSettings | null;
  readonly microsoft: MicrosoftSettings | null;
  readonly github: GithubSettings | null;
  readonly apple: AppleSettings | null;
}

/** The names that users know the providers by. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
  apple: 'Apple',
};

export function isProviderName(name: string): name is ProviderName {
  return (PROVIDERS as readonly string[]).includes(name);
}

/** The configured ones among an app's `allowed_providers`, in the app's order. */
export function offeredProviders(settings: ProviderSettings, allowed: readonly string[]): ProviderName[] {
  return [...new Set(allowed)].filter((name) => isProviderName(name)).filter((name) => settings[name] !== null);
}
