/** Pages of the account to which a sign-in can lead, under /account: the page that required a new sign-in. */
export const ACCOUNT_SECTIONS = [
  'delete',
  'email',
  'password',
  'passkeys/new',
  'second-factor',
  'second-factor/remove',
  'second-factor/codes',
] as const;
export type AccountSection = (typeof ACCOUNT_SECTIONS)[number];

export interface AccountSignIn {
  /** Credentials are always asked for. */
  readonly fresh?: boolean;
  /** The page that follows; null: the account page itself. */
  readonly section?: AccountSection | null;
  /** The sign-in offers every method of the service. */
  readonly anyMethod?: boolean;
}

/** Null for the account page itself, and for unknown values. */
export function readAccountSection(text: unknown): AccountSection | null {
  return ACCOUNT_SECTIONS.find((section) => section === text) ?? null;
}

/** The section to which a sign-in leads by its redirect URI. */
export function accountSectionOf(redirectUri: string): AccountSection | null {
  return readAccountSection(redirectUri.split('/account/').at(-1));
}

/** Where the account's own sign-in begins. */
export function accountSignInPath({ fresh = false, section = null, anyMethod = false }: AccountSignIn): string {
  const parameters = new URLSearchParams({
    ...(anyMethod ? { any: '1' } : {}),
    ...(fresh ? { fresh: '1' } : {}),
    ...(section ? { to: section } : {}),
  });
  return `/account/sign-in${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}
