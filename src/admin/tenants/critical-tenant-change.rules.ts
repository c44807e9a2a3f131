import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '../../tenants/tenant.entity.js';

type PasskeyModels = Pick<Tenant, 'passkeyAaguids'>;
type CriticalSettings = PasskeyModels & Pick<Tenant, 'require2fa' | 'passkeyRecoveryDays'>;

/**
 * Why the change needs a recent sign-in of the administrator (docs/decisions/0096 and 0104): other models of passkeys
 * would count, and a passkey of another model is no credential of its user; users would no longer need a second factor;
 * or it could be removed earlier. Scheduled changes store these names.
 */
export function criticalReasons(before: CriticalSettings, after: CriticalSettings): string[] {
  const reasons = {
    passkey_models: !isDeepStrictEqual(sorted(before), sorted(after)),
    second_factor: before.require2fa && !after.require2fa,
    passkey_recovery: recoveryDays(after) < recoveryDays(before),
  };
  return Object.entries(reasons).flatMap(([reason, holds]) => (holds ? [reason] : []));
}

/** Null: users cannot remove lost passkeys themselves. */
function recoveryDays({ passkeyRecoveryDays }: CriticalSettings): number {
  return passkeyRecoveryDays ?? Infinity;
}

/** Null and an empty list accept every model. */
function sorted({ passkeyAaguids }: PasskeyModels): string[] {
  return (passkeyAaguids ?? []).map((model) => model.toLowerCase()).sort();
}
