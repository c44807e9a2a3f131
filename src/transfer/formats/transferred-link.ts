import type { ProviderName } from '../../config/provider-settings.js';

/** An identity at an external provider that opens an account, as documents carry it. */
export interface TransferredLink {
  readonly provider: ProviderName;
  readonly provider_user_id: string;
  /** As the provider said it. */
  readonly email: string | null;
}
