import { canHavePasskeys, NO_PASSKEYS } from '../../../auth/credentials/passkeys/ceremonies/relying-party.rules.js';
import { isProviderName, PROVIDERS } from '../../../config/provider-settings.js';
import type { Settings } from '../../../config/settings.js';
import type { Fields } from '../../frame/requests/console-request.js';
import { tickedOf } from '../../frame/lists/form-values.js';
import { methodLabel } from '../../frame/lists/method-label.js';

const METHOD = 'provider_';
/** Prefix of fields without a value, whose order in the form is the order of the methods. */
const PLACE = 'place_';
const NOT_CONFIGURED = 'Not configured on this installation. The sign-in page does not show it.';

/** The checked methods in the order of the form. @param before the current methods, for a form without an order */
export function chosenMethods(fields: Fields, before: readonly string[]): string[] {
  const ticked = tickedOf(fields, METHOD);
  return [...new Set([...positionsOf(fields), ...before, ...ticked])].filter((name) => ticked.includes(name));
}

/** Whether the form only changes the order. Browsers without scripts then get the form again. */
export function movesMethod(fields: Fields): boolean {
  return fields['move_up'] !== undefined;
}

/**
 * For the partial `console/methods`: all known methods, and any other that the app lists. Providers follow the other
 * methods, which have a fixed place on the sign-in page. Their order is that of the form, otherwise that of the app.
 */
export function methodRows(
  allowed: readonly string[],
  settings: Pick<Settings, 'baseUrl' | 'providers'>,
  fields: Fields | null,
) {
  const first = allowed.filter(isProviderName);
  const others = allowed.filter((name) => !isProviderName(name));
  const all = new Set([
    ...positionsOf(fields ?? {}),
    'password',
    'magic_link',
    'passkey',
    ...others,
    ...first,
    ...PROVIDERS,
  ]);
  return movedUp([...all], fields?.['move_up']).map((name) => ({
    id: `${METHOD}${name}`,
    name,
    label: methodLabel(name),
    checked: fields ? fields[`${METHOD}${name}`] === 'on' : allowed.includes(name),
    hint: hintOf(name, settings),
    isProvider: isProviderName(name),
  }));
}

function positionsOf(fields: Fields): string[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith(PLACE))
    .map((name) => name.slice(PLACE.length));
}

/** A provider cannot move above a method that is not a provider. */
function movedUp(names: readonly string[], name: string | undefined): readonly string[] {
  const at = name === undefined ? -1 : names.indexOf(name);
  if (at < 1 || !isProviderName(names[at]!) || !isProviderName(names[at - 1]!)) return names;
  return [...names.slice(0, at - 1), names[at]!, names[at - 1]!, ...names.slice(at + 1)];
}

/** Why the sign-in page does not show the method. */
function hintOf(name: string, { baseUrl, providers }: Pick<Settings, 'baseUrl' | 'providers'>): string {
  if (name === 'passkey' && !canHavePasskeys(baseUrl)) return NO_PASSKEYS;
  return isProviderName(name) && !providers[name] ? NOT_CONFIGURED : '';
}
