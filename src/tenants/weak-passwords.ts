/** Policies on common and easily guessed passwords, from the mildest to the strictest. */
export const WEAK_PASSWORD_POLICIES = ['off', 'warn', 'block'] as const;
export type WeakPasswordPolicy = (typeof WEAK_PASSWORD_POLICIES)[number];
