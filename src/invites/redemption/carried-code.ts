import type { SecretBox } from '../../crypto/secret-box.js';

/**
 * What carries the code of an invite to the step that joins the app. The code opens an app, so it is stored encrypted. Rows of an
 * earlier version have it in clear, and stay readable.
 */
interface Carrier {
  readonly inviteCode?: string | null;
  readonly sealedInvite?: string;
}

/** As it is stored. @param row where: in another row the code cannot be decrypted */
export function sealCarriedCode<T extends object>(box: SecretBox, carrier: T, row: string): T {
  const { inviteCode } = carrier as Carrier;
  if (typeof inviteCode !== 'string') return carrier;
  return { ...carrier, inviteCode: null, sealedInvite: box.seal(inviteCode, row) };
}

/** A code that can no longer be decrypted is left out: the user is asked for it. */
export function openCarriedCode<T extends object>(box: SecretBox, stored: T, row: string): T {
  const { sealedInvite, ...carrier } = stored as Carrier;
  if (sealedInvite === undefined) return stored;
  return { ...carrier, inviteCode: box.openIfReadable(sealedInvite, row) } as T;
}

/** Additional data of an encrypted code, by the place where it is stored. Hashes are in hexadecimal. */
export const aadOfCarriedCode = {
  attempt: (id: string) => `sign_in_attempts:${id}`,
  mailLink: (tokenHash: string) => `mail_links:${tokenHash}`,
  pushedRequest: (referenceHash: string) => `pushed_requests:${referenceHash}`,
  /** @param asked what {@link linkAskedFor} returns */
  linkRequest: (asked: string) => `outbox_messages:magic_link:${asked}`,
} as const;

/** App and address that a sign-in link is asked for: a job has no other identity before it is written. */
export function linkAskedFor(appId: string, email: string): string {
  return `${appId}:${email}`;
}
