import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { OWN_BRAND } from '../../../common/pages/brand/brand.js';
import { PROVIDERS } from '../../../config/provider-settings.js';
import type { AuthorizationRequest } from './authorization-request.js';

/**
 * The client that determines the methods and branding of a sign-in. The account page without an app uses the platform's
 * Console, but allows every method that the service has, because users may have no other one, and does not show the
 * name of the Console. It creates no account (`judgeLink`), and each app decides by the session's methods what it may
 * do there. The account belongs to the user, so no tenant decides which models of passkeys count for it.
 */
export function signInClient(
  { purpose }: Pick<AuthorizationRequest, 'purpose'>,
  client: RegisteredClient,
): RegisteredClient {
  if (purpose !== 'account') return client;
  const { app } = client;
  const tenant = { ...client.tenant, passkeyAaguids: null };
  if (!app.isConsoleApp || !tenant.isPlatform) return { ...client, tenant };
  const config = { ...app.config, allowed_providers: ['password', 'magic_link', 'passkey', ...PROVIDERS] };
  return {
    ...client,
    app: { ...app, name: OWN_BRAND.appName, config, logoData: null, logoCopy: null, faviconData: null },
    tenant: { ...tenant, name: '' },
  };
}
