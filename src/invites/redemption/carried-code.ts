import type { SecretBox } from '../../crypto/secret-box.js';

/**
 * A record that carries the code of an invite to the step that joins the app. The code gives access to an app, so it is
 * stored encrypted. Rows of an earlier version contain it in clear text and remain readable.
 */
interface Carrier {
  readonly inviteCode?: string | null;
  readonly sealedInvite?: string;
}

/** Encrypts the code for storage. @param row where it is stored: in another row the code cannot be decrypted */
export function sealCarriedCode<T extends object>(box: SecretBox, carrier: T, row: string): T {
  const { inviteCode } = carrier as Carrier;
  if (typeof inviteCode !== 'string') return carrier;
  return { ...carrier, inviteCode: null, sealedInvite: box.seal(inviteCode, row) };
}

/** A code that can no longer be decrypted is left out, and the user is asked for it. */
export function openCarriedCode<T extends object>(box: SecretBox, stored: T, row: string): T {
  const { sealedInvite, ...carrier } = stored as Carrier;
  if (sealedInvite === undefined) return stored;
  return { ...carrier, inviteCode: box.openIfReadable(sealedInvite, row) } as T;
}

/** Additional authenticated data of an encrypted code, by the place where it is stored. Hashes are hexadecimal. */
export const aadOfCarriedCode = {
  attempt: (id: string) => `sign_in_attempts:${id}`,
  mailLink: (tokenHash: string) => `mail_links:${tokenHash}`,
  pushedRequest: (referenceHash: string) => `pushed_requests:${referenceHash}`,
  /** @param requested result of {@link linkRequestKey} */
  linkRequest: (requested: string) => `outbox_messages:magic_link:${requested}`,
} as const;

/** Identifies a request for a sign-in link by app and address: a job has no id before it is written. */
export function linkRequestKey(appId: string, email: string): string {
  return `${appId}:${email}`;
}
