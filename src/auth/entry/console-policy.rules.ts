import type { TenantPolicy } from '../../enrollment/authority/authority.repository.js';

/**
 * What a Console app demands of a user: what its own tenant does and what every tenant does over which they have authority.
 * Two lists of passkey models leave what is on both.
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

/** Null: every model. */
function common(one: readonly string[] | null, other: readonly string[] | null): string[] | null {
  if (one === null || other === null) return (one ?? other)?.slice() ?? null;
  return one.filter((model) => other.includes(model));
}
