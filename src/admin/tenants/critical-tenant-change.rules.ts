import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '../../tenants/tenant.entity.js';

type PasskeyModels = Pick<Tenant, 'passkeyAaguids'>;

/**
 * Whether the change needs a recent sign-in of the administrator (docs/decisions/0096): other models of passkeys would
 * count, and a passkey of another model is no credential of its user.
 */
export function isCriticalChange(before: PasskeyModels, after: PasskeyModels): boolean {
  return !isDeepStrictEqual(sorted(before), sorted(after));
}

/** Null and an empty list accept every model. */
function sorted({ passkeyAaguids }: PasskeyModels): string[] {
  return (passkeyAaguids ?? []).map((model) => model.toLowerCase()).sort();
}
