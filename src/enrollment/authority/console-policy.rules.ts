import type { TenantPolicy } from './authority.repository.js';

/**
 * The policy that a Console app applies to a user: the requirements of its own tenant, combined with those of every
 * tenant over which the user has authority. If two tenants list passkey models, only models on both lists are accepted.
 */
export function strictest<T extends TenantPolicy>(own: T, others: readonly TenantPolicy[]): T {
  return others.reduce<T>(
    (policy, { require2fa, passkeyAaguids }) => ({
      ...policy,
      require2fa: policy.require2fa || require2fa,
      passkeyAaguids: common(policy.passkeyAaguids, passkeyAaguids),
    }),
    own,
  );
}

/** Models on both lists. Null: every model. */
function common(one: readonly string[] | null, other: readonly string[] | null): string[] | null {
  if (one === null || other === null) return (one ?? other)?.slice() ?? null;
  return one.filter((model) => other.includes(model));
}
