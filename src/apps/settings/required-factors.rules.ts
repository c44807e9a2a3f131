import type { Tenant } from '../../tenants/tenant.entity.js';
import type { AppConfig } from '../app/app-config.js';

/** A passkey that verifies its owner is two factors, so an app that accepts nothing else needs no setting for them. */
export function configDemandsTwoFactors({ require_2fa, allowed_providers: methods }: AppConfig): boolean {
  return require_2fa || (methods.length === 1 && methods[0] === 'passkey');
}

/**
 * Whether an app requires two factors of all its users, or accepts only passkeys. In SQL: `DEMANDS_TWO_FACTORS` of
 * `sign-in-rules.sql.ts`.
 */
export function demandsTwoFactors({
  app,
  tenant,
}: {
  readonly app: { readonly config: AppConfig };
  readonly tenant: Pick<Tenant, 'require2fa'>;
}): boolean {
  return tenant.require2fa || configDemandsTwoFactors(app.config);
}
