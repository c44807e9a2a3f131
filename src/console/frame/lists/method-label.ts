import { isProviderName, PROVIDER_LABELS } from '../../../config/provider-settings.js';

/** @param method from `allowed_providers` */
export function methodLabel(method: string): string {
  if (method === 'password') return 'Password';
  if (method === 'magic_link') return 'Sign-in link';
  if (method === 'passkey') return 'Passkey';
  return isProviderName(method) ? PROVIDER_LABELS[method] : method;
}
