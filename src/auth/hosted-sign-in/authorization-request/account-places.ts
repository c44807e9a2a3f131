/** Pages of the account to which a sign-in can lead, under /account: the page that required a new sign-in. */
export const ACCOUNT_PLACES = [
  'delete',
  'email',
  'password',
  'passkeys/new',
  'second-factor',
  'second-factor/remove',
  'second-factor/codes',
] as const;
export type AccountPlace = (typeof ACCOUNT_PLACES)[number];

export interface AccountSignIn {
  /** Credentials are always asked for. */
  readonly fresh?: boolean;
  /** The page that follows; null: the account page itself. */
  readonly place?: AccountPlace | null;
  /** The sign-in offers every method of the service. */
  readonly anyMethod?: boolean;
}

/** Null for the account page itself, and for unknown values. */
export function readAccountPlace(text: unknown): AccountPlace | null {
  return ACCOUNT_PLACES.find((place) => place === text) ?? null;
}

/** The place to which a sign-in leads by its redirect URI. */
export function accountPlaceOf(redirectUri: string): AccountPlace | null {
  return readAccountPlace(redirectUri.split('/account/').at(-1));
}

/** Where the account's own sign-in begins. */
export function accountSignInPath({ fresh = false, place = null, anyMethod = false }: AccountSignIn): string {
  const parameters = new URLSearchParams({
    ...(anyMethod ? { any: '1' } : {}),
    ...(fresh ? { fresh: '1' } : {}),
    ...(place ? { to: place } : {}),
  });
  return `/account/sign-in${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}
