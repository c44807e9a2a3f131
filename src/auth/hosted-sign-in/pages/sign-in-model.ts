import type { Settings } from '../../../config/settings.js';
import { canHavePasskeys } from '../../credentials/passkeys/ceremonies/relying-party.rules.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { acceptsMethods } from '../../entry/methods/sign-in-methods.rules.js';
import { type Message, message } from '../../../common/i18n/message.js';
import { reauthenticationFacts } from '../attempts/reauthentication-facts.js';
import {
  isSetupDue,
  mustReauthenticate,
  mustReauthenticateForSetup,
  isTooOldForSetup,
} from '../attempts/next-step.rules.js';
import { accountSectionOf, accountSignInPath } from '../authorization-request/account-sections.js';
import { NO_BUTTONS, providerButtons } from './provider-buttons.js';
import { keyIsSecond, signInAgain } from './sign-in-again.js';
import type { SignInState, StepPage } from '../attempts/sign-in-step.js';

const CONFIRM_ELSEWHERE = message('sign-in.again.confirm_elsewhere');
const SET_UP_FOR_DEVICE = message('sign-in.again.set_up_device');
const SET_UP_BY_LINK_FOR_DEVICE = message('sign-in.again.set_up_by_link_device');
const OPEN_ACCOUNT = message('sign-in.again.open_account');
const OTHER_METHODS = message('sign-in.account.other_methods');

interface LostPasskey {
  readonly app: string;
  readonly isForDevice: boolean;
}

/** Values of every page of a sign-in, in addition to those of its step. */
export function signInModel(
  settings: Pick<Settings, 'providers' | 'baseUrl'>,
  state: SignInState,
  { model }: StepPage,
  { lastMethod, action, formToken }: { lastMethod: string | null; action: string; formToken: string },
): Readonly<Record<string, unknown>> {
  const { attempt, client, user } = state;
  const { id, request } = attempt;
  const confirms = mustReauthenticate(reauthenticationFacts(state));
  // These buttons would lead the user back to this page.
  const buttons = confirms ? NO_BUTTONS : providerButtons(settings.providers, client, id, lastMethod);
  const takesPasskeys = allowsMethod(client.app, 'passkey') && canHavePasskeys(settings.baseUrl);
  const takesPassword = allowsMethod(client.app, 'password');
  const otherUrl = otherMethodsUrl(state);
  const isOnlyWay = otherUrl !== null && confirms && waysToConfirm(state, takesPasskeys).length === 0;
  return {
    again: confirms ? howToConfirm(state, takesPasskeys) : reasonToSignInAgain(settings, state),
    takesPassword,
    ...buttons,
    mayFocus: buttons.lastProvider === null,
    passwordIsLast: lastMethod === 'password',
    passkeyIsLast: lastMethod === 'passkey',
    passkeyAction: takesPasskeys ? `/sign-in/${id}/passkey` : null,
    emailAutocomplete: takesPasskeys ? 'username webauthn' : 'username',
    ...model,
    action,
    shownTo: user?.id ?? '',
    switchAction: `/sign-in/${id}/other-account`,
    // Names the user of this sign-in, because another user may be in front of the browser.
    confirmsAs: confirms ? (user?.email ?? null) : null,
    forAccount: request.purpose === 'account',
    ...(isOnlyWay
      ? { otherMethodsUrl: null, onlyWay: onlyWay(state, otherUrl) }
      : { otherMethodsUrl: otherUrl, onlyWay: null }),
    lostPasskey: otherUrl !== null ? lostPasskey(state) : null,
    // No links to sign up, because the account already exists.
    ...(confirms ? { signUpUrl: null, invitedUrl: null } : {}),
    formToken,
  };
}

/** Whether the user has only touched a key, and must begin with another method (`mustBeginOtherwise`). */
function isKeyTooLittle({ attempt: { request, amr }, client, entry, acr }: SignInState): boolean {
  if (entry === 'enter') return acr === 'other_method';
  return entry === 'method_not_allowed' && (request.purpose === 'account' || acceptsMethods(client, amr));
}

/** A link for a page that has no method to offer. */
function onlyWay({ attempt }: SignInState, url: string): { url: string; label: Message } {
  const isAccount = attempt.request.purpose === 'account';
  return { url, label: isAccount ? OTHER_METHODS : OPEN_ACCOUNT };
}

/** The methods of the page. Providers are left out, because it is the answer of a provider that must be confirmed. */
function waysToConfirm({ client: { app } }: SignInState, takesPasskeys: boolean): Message[] {
  return [
    ...(allowsMethod(app, 'password') ? [message('sign-in.again.password')] : []),
    ...(takesPasskeys ? [message('sign-in.again.passkey')] : []),
    ...(allowsMethod(app, 'magic_link') ? [message('sign-in.again.link')] : []),
  ];
}

function howToConfirm(state: SignInState, takesPasskeys: boolean): Message {
  const { app } = state.client;
  const ways = waysToConfirm(state, takesPasskeys);
  if (state.isUnprompted) return ways.length > 0 ? message('sign-in.again.confirm', { ways }) : CONFIRM_ELSEWHERE;
  // The app accepts none of the credentials that the user has. A link by e-mail also confirms the identity here.
  const byLink = allowsMethod(app, 'magic_link');
  if (state.attempt.request.purpose === 'device') return byLink ? SET_UP_BY_LINK_FOR_DEVICE : SET_UP_FOR_DEVICE;
  return byLink
    ? message('sign-in.again.set_up_by_link', { app: app.name })
    : message('sign-in.again.set_up', { app: app.name });
}

/** Why a user who has already signed in gets the page for the first factor; null: they have not. */
function reasonToSignInAgain({ providers }: Pick<Settings, 'providers'>, state: SignInState): Message | null {
  const { attempt, client, user, entry } = state;
  if (isKeyTooLittle(state)) return keyIsSecond(providers, client);
  if (entry === 'method_not_allowed') return signInAgain(providers, client, attempt.amr);
  return user && isSetupDue(state) ? beginsAgain(state) : null;
}

/** Says why the sign-in begins again. If the set-up page was open for too long, its QR code is no longer valid. */
function beginsAgain(state: SignInState): Message {
  const { viaSso } = state.attempt;
  const isLate = !viaSso && isTooOldForSetup({ ...state, viaSso });
  return isLate ? message('sign-in.again.set_up_late') : message('sign-in.again.set_up_old');
}

/**
 * For users without other credentials that the app accepts: the app asks for the passkey until they have removed it.
 */
function lostPasskey({ attempt: { request }, client: { app }, isUnprompted = false }: SignInState): LostPasskey | null {
  if (!isUnprompted || request.purpose === 'account') return null;
  return { app: app.name, isForDevice: request.purpose === 'device' };
}

/**
 * Link from the methods of an app to all methods of the service, on the way to the account page. On the way to an app,
 * only if users must confirm their identity and have no password that the app accepts: they may have lost the passkey,
 * or the app accepts no credentials of their own. Or if they must begin with another method than their key: the app may
 * offer only providers at which they have no account.
 */
function otherMethodsUrl(state: SignInState): string | null {
  const { app, tenant } = state.client;
  const { purpose, prompt, redirectUri } = state.attempt.request;
  const isAccount = purpose === 'account';
  const hasEveryMethod = isAccount && app.isConsoleApp && tenant.isPlatform;
  const hasPassword = allowsMethod(app, 'password') && Boolean(state.user?.passwordHash);
  const lacksFirst = isKeyTooLittle(state);
  const isStuck = !hasPassword && (mustReauthenticate(reauthenticationFacts(state)) || lacksFirst);
  if (hasEveryMethod || !(isStuck || (isAccount && !app.isConsoleApp))) return null;
  const setup = lacksFirst || mustReauthenticateForSetup(reauthenticationFacts(state)) ? 'second-factor' : null;
  const fresh = isStuck || prompt === 'login';
  return accountSignInPath({ fresh, section: isAccount ? accountSectionOf(redirectUri) : setup, anyMethod: true });
}
