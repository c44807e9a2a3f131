/**
 * What is remembered beside the RFC 8176 values of a sign-in: at which app the user came in by an invite or a sign-up
 * without a password. That app accepts it; it is not shown outside.
 */
const JOINED = 'joined:';

/** The same for the model (AAGUID) of a passkey: tenants may accept only some. */
const MODEL = 'aaguid:';

export function joinedAt(app: { readonly id: string }): string {
  return `${JOINED}${app.id}`;
}

/** @param aaguid in lower case with dashes */
export function passkeyModel(aaguid: string): string {
  return `${MODEL}${aaguid}`;
}

/** AAGUIDs of the passkeys that were shown. */
export function modelsIn(amr: readonly string[]): string[] {
  return amr.filter((value) => value.startsWith(MODEL)).map((value) => value.slice(MODEL.length));
}

/** For tokens and the audit log. */
export function publishedAmr(amr: readonly string[]): string[] {
  return amr.filter((value) => !value.startsWith(JOINED) && !value.startsWith(MODEL));
}
