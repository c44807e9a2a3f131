import type { ProviderName } from '../../../config/provider-settings.js';

/**
 * The identity of a user at a provider. Its key is provider and subject; everything else may change at the provider.
 */
export interface ExternalIdentity {
  readonly provider: ProviderName;
  /** Never reassigned by the provider: `sub`, or the numeric id at GitHub. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider says that it has verified that the user receives mail at this address. */
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** When the provider asked for credentials (`auth_time`). Undefined if it does not say so. */
  readonly askedAt?: Date | undefined;
}
