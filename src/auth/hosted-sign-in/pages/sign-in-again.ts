import { type Message, message } from '../../../common/i18n/message.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { isOtherModel } from '../../credentials/passkeys/stored/passkey-models.rules.js';
import { offeredProviders, PROVIDER_LABELS, type ProviderSettings } from '../../../config/provider-settings.js';

/** For a signed-in user whose method this app does not accept: the methods that it accepts. */
export function signInAgain(
  settings: ProviderSettings,
  { app, tenant }: RegisteredClient,
  amr: readonly string[],
): Message {
  if (isOtherModel(tenant, amr)) return message('sign-in.again.other_model', { app: app.name });
  const methods = methodsOf(settings, app.config.allowed_providers);
  return methods.length > 0
    ? message('sign-in.again.with', { methods, app: app.name })
    : message('sign-in.again', { app: app.name });
}

/** For a user who has only touched a key, where two factors are needed (docs/decisions/0099). */
export function keyIsSecond(settings: ProviderSettings, { app }: RegisteredClient): Message {
  const others = app.config.allowed_providers.filter((name) => name !== 'passkey');
  const methods = methodsOf(settings, others);
  return methods.length > 0
    ? message('sign-in.again.key_is_second', { methods })
    : message('sign-in.again.key_is_second_elsewhere');
}

function methodsOf(settings: ProviderSettings, allowed: readonly string[]): (Message | string)[] {
  return [
    ...(allowed.includes('password') ? [message('sign-in.again.password')] : []),
    ...offeredProviders(settings, allowed).map((name) => PROVIDER_LABELS[name]),
    ...(allowed.includes('passkey') ? [message('sign-in.again.passkey')] : []),
    ...(allowed.includes('magic_link') ? [message('sign-in.again.link')] : []),
  ];
}
