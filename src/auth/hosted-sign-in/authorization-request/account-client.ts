import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { OWN_BRAND } from '../../../common/pages/brand/brand.js';
import { PROVIDERS } from '../../../config/provider-settings.js';
import type { AuthorizationRequest } from './authorization-request.js';

/**
 * The client whose methods and look a sign-in has. The account page without an app borrows the platform's Console: there
 * it takes every method that the service has, because users may have no other one, and it does not call itself Console.
 * It opens no account (`judgeLink`), and what a session may do at an app is decided there, by the methods in it.
 */
export function signInClient(
  { purpose }: Pick<AuthorizationRequest, 'purpose'>,
  client: RegisteredClient,
): RegisteredClient {
  const { app, tenant } = client;
  if (purpose !== 'account' || !app.isConsoleApp || !tenant.isPlatform) return client;
  const config = { ...app.config, allowed_providers: ['password', 'magic_link', 'passkey', ...PROVIDERS] };
  return {
    ...client,
    app: { ...app, name: OWN_BRAND.appName, config, logoData: null, logoCopy: null, faviconData: null },
    tenant: { ...tenant, name: '' },
  };
}
