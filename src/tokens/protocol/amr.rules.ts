/**
 * What is remembered beside the RFC 8176 values of a sign-in: at which app the person came in by an invite or a sign-up
 * without a password. That app accepts it; it is not shown outside.
 */
const JOINED = 'joined:';

export function joinedAt(app: { readonly id: string }): string {
  return `${JOINED}${app.id}`;
}

/** For tokens and the audit log. */
export function publishedAmr(amr: readonly string[]): string[] {
  return amr.filter((value) => !value.startsWith(JOINED));
}
