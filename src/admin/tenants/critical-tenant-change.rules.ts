import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '../../tenants/tenant.entity.js';

type PasskeyModels = Pick<Tenant, 'passkeyAaguids'>;

/**
 * Why the change needs a recent sign-in of the administrator (docs/decisions/0096): other models of passkeys would
 * count, and a passkey of another model is no credential of its user. Scheduled changes store this name.
 */
export function criticalReasons(before: PasskeyModels, after: PasskeyModels): string[] {
  return isDeepStrictEqual(sorted(before), sorted(after)) ? [] : ['passkey_models'];
}

/** Null and an empty list accept every model. */
function sorted({ passkeyAaguids }: PasskeyModels): string[] {
  return (passkeyAaguids ?? []).map((model) => model.toLowerCase()).sort();
}
