import type { ProviderName } from '../../../config/provider-settings.js';

/** A user as a provider names them. The key is provider and subject; everything else can change there at any time. */
export interface ExternalIdentity {
  readonly provider: ProviderName;
  /** Never reassigned by the provider: `sub`, or GitHub's numeric id. */
  readonly subject: string;
  readonly email: string | null;
  /** The provider itself has checked that the user reads mail at that address. */
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** When the provider asked for credentials, where it says so (`auth_time`). */
  readonly askedAt?: Date | undefined;
}
