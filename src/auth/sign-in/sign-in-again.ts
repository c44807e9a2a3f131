import type { KnownApp } from '../../apps/app-directory.js';
import { offeredProviders, PROVIDER_LABELS, type ProviderSettings } from '../../config/provider-settings.js';

const LIST = new Intl.ListFormat('en', { type: 'disjunction' });

/** For somebody who is signed in, but in a way that this app does not take: how they have to. */
export function signInAgain(settings: ProviderSettings, { app }: KnownApp): string {
  const { allowed_providers: allowed } = app.config;
  const methods = [
    ...(allowed.includes('password') ? ['your password'] : []),
    ...offeredProviders(settings, allowed).map((name) => PROVIDER_LABELS[name]),
    ...(allowed.includes('magic_link') ? ['a link by e-mail'] : []),
  ];
  const how = methods.length > 0 ? ` with ${LIST.format(methods)}` : '';
  return `Sign in again${how}. You are signed in, but in a way that ${app.name} does not take.`;
}
