import type { RegisteredClient } from '../../apps/app-directory.js';
import { offeredProviders, PROVIDER_LABELS, type ProviderSettings } from '../../config/provider-settings.js';

/** A link of the sign-in page that leads to an external provider. */
export interface ProviderButton {
  readonly label: string;
  /** The partial that draws the provider's mark. */
  readonly mark: string;
  readonly href: string;
  /** The sign-in method that was used last in this browser. */
  readonly isLast: boolean;
}

/** The configured providers that the app takes, in the app's order. */
export function providerButtons(
  settings: ProviderSettings,
  { app }: RegisteredClient,
  attemptId: string,
  lastMethod: string | null,
): ProviderButton[] {
  return offeredProviders(settings, app.config.allowed_providers).map((name) => ({
    label: PROVIDER_LABELS[name],
    mark: `mark-${name}`,
    href: `/oauth/${name}/start?attempt=${attemptId}`,
    isLast: name === lastMethod,
  }));
}
