import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { offeredProviders, PROVIDER_LABELS, type ProviderSettings } from '../../../config/provider-settings.js';

/** A link of the sign-in page that leads to an external provider. */
export interface ProviderButton {
  readonly label: string;
  /** The partial that draws the provider's mark. */
  readonly mark: string;
  readonly href: string;
  /** Whether this is the sign-in method that was used last in this browser. */
  readonly isLast: boolean;
}

/** The buttons of a sign-in page. */
export interface ProviderButtons {
  /** All of them: the one used last first, the others in the app's order. */
  readonly providers: readonly ProviderButton[];
  /** The one used last in this browser; it goes above the password. */
  readonly lastProvider: ProviderButton | null;
  readonly otherProviders: readonly ProviderButton[];
}

export const NO_BUTTONS: ProviderButtons = { providers: [], lastProvider: null, otherProviders: [] };

/** The configured providers that the app allows. */
export function providerButtons(
  settings: ProviderSettings,
  { app }: RegisteredClient,
  attemptId: string,
  lastMethod: string | null,
): ProviderButtons {
  const buttons = offeredProviders(settings, app.config.allowed_providers).map((name) => ({
    label: PROVIDER_LABELS[name],
    mark: `mark-${name}`,
    href: `/oauth/${name}/start?attempt=${attemptId}`,
    isLast: name === lastMethod,
  }));
  const lastProvider = buttons.find(({ isLast }) => isLast) ?? null;
  const otherProviders = buttons.filter(({ isLast }) => !isLast);
  return { providers: [...(lastProvider ? [lastProvider] : []), ...otherProviders], lastProvider, otherProviders };
}
