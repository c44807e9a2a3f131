import type { ProviderName } from '../../config/provider-settings.js';

/** An identity at an external provider that is linked to an account, in a document. */
export interface TransferredLink {
  readonly provider: ProviderName;
  readonly provider_user_id: string;
  /** As reported by the provider. */
  readonly email: string | null;
}
