import { modelsIn, passkeyModel, UNPROMPTED } from '../../../../tokens/protocol/amr.rules.js';
import { isByPasskey } from './passkey.rules.js';

/** The models of authenticators that a tenant accepts; null: every one. */
export interface PasskeyPolicy {
  readonly passkeyAaguids: readonly string[] | null;
}

/** Replaces the methods of a passkey that the tenant does not accept. No app allows a method of this name. */
const OTHER_MODEL = 'other_model';

const OF_PASSKEYS = ['hwk', 'swk', 'user'];

/**
 * The methods of a sign-in that count at a tenant: a passkey of a model that it does not accept counts as not used.
 * Sessions belong to a user in all tenants, so every entry at a tenant calls this.
 * @param amr RFC 8176, with the models
 */
export function countedAmr({ passkeyAaguids }: PasskeyPolicy, amr: readonly string[]): readonly string[] {
  if (!passkeyAaguids || !isByPasskey(amr)) return amr;
  const models = modelsIn(amr);
  if (passkeyAaguids.some((aaguid) => models.includes(aaguid))) return amr;
  const passkeyParts = [...OF_PASSKEYS, ...models.map(passkeyModel), ...(amr.includes('otp') ? [] : ['mfa'])];
  // It is no second factor there, but it has confirmed the user. A token that said otherwise would be refused after each new sign-in.
  const overcome = amr.includes('mfa') ? [UNPROMPTED] : [];
  return [...amr.filter((value) => ![...passkeyParts, ...overcome].includes(value)), OTHER_MODEL];
}

/** For tokens and the audit log of that tenant. */
export function withoutMarks(amr: readonly string[]): string[] {
  return amr.filter((value) => value !== OTHER_MODEL);
}

/** Whether a passkey was used that the tenant does not accept. */
export function isOtherModel(policy: PasskeyPolicy, amr: readonly string[]): boolean {
  return countedAmr(policy, amr).includes(OTHER_MODEL);
}

export function acceptsModel({ passkeyAaguids }: PasskeyPolicy, { aaguid }: { readonly aaguid: string }): boolean {
  return passkeyAaguids?.includes(aaguid) ?? true;
}
