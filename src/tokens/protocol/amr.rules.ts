/**
 * Stored in addition to the RFC 8176 values of a sign-in: the app at which the user joined with an invite or a sign-up
 * without a password. That app accepts it as a method; it is never shown outside.
 */
const JOINED = 'joined:';

/** Stored for the model (AAGUID) of a passkey, because tenants may accept only some. */
const MODEL = 'aaguid:';

/**
 * In addition to `fed`: the provider did not say that it had just asked for credentials, and the user has a password or
 * a passkey here. Such a sign-in opens apps, but it does not count as a recent sign-in (docs/decisions/0096).
 */
export const UNPROMPTED = 'unprompted';

export function joinedAt(app: { readonly id: string }): string {
  return `${JOINED}${app.id}`;
}

/** @param aaguid in lower case with dashes */
export function passkeyModel(aaguid: string): string {
  return `${MODEL}${aaguid}`;
}

/** AAGUIDs of the passkeys that were used. */
export function modelsIn(amr: readonly string[]): string[] {
  return amr.filter((value) => value.startsWith(MODEL)).map((value) => value.slice(MODEL.length));
}

/** The values for tokens and the audit log. */
export function publishedAmr(amr: readonly string[]): string[] {
  return amr.filter((value) => !value.startsWith(JOINED) && !value.startsWith(MODEL));
}
