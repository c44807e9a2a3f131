import type { Settings } from '../../../config/settings.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { canHavePasskeys } from '../../credentials/passkeys/ceremonies/relying-party.rules.js';
import { allowsMethod } from '../../entry/allows-method.rules.js';
import { message } from '../../../common/i18n/message.js';
import { isToConfirm } from '../attempts/next-step.rules.js';
import { NO_BUTTONS, providerButtons } from './provider-buttons.js';
import { signInAgain } from './sign-in-again.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';
import type { SignInState, StepPage } from '../attempts/sign-in-step.js';

const CONFIRM = message('sign-in.again.confirm');

/** What every page of a sign-in shows beside what its step adds. */
export function signInModel(
  settings: Pick<Settings, 'providers' | 'baseUrl'>,
  { attempt: { id, request, amr }, client, entry, isUnprompted = false }: SignInState,
  { model }: StepPage,
  { lastMethod, action, formToken }: { lastMethod: string | null; action: string; formToken: string },
): Readonly<Record<string, unknown>> {
  // Where the method or the user is refused, another provider or another user may be the way in.
  const isRefused = entry === 'method_not_allowed' || entry === 'suspended';
  const confirms = !isRefused && isToConfirm({ isUnprompted, prompt: request.prompt, maxAge: request.maxAge });
  // They would bring the user back here.
  const buttons = confirms ? NO_BUTTONS : providerButtons(settings.providers, client, id, lastMethod);
  const takesPasskeys = allowsMethod(client.app, 'passkey') && canHavePasskeys(settings.baseUrl);
  return {
    again: confirms ? CONFIRM : entry === 'method_not_allowed' ? signInAgain(settings.providers, client, amr) : null,
    takesPassword: allowsMethod(client.app, 'password'),
    ...buttons,
    mayFocus: buttons.lastProvider === null,
    passwordIsLast: lastMethod === 'password',
    passkeyIsLast: lastMethod === 'passkey',
    passkeyAction: takesPasskeys ? `/sign-in/${id}/passkey` : null,
    emailAutocomplete: takesPasskeys ? 'username webauthn' : 'username',
    ...model,
    action,
    switchAction: `/sign-in/${id}/other-account`,
    forAccount: request.purpose === 'account',
    otherMethodsUrl: otherMethodsUrl(request, client),
    formToken,
  };
}

/** From the methods of an app to all that the service has, on the way to the account page. */
function otherMethodsUrl({ purpose, prompt }: SignInAttempt['request'], { app }: RegisteredClient): string | null {
  if (purpose !== 'account' || app.isConsoleApp) return null;
  return `/account/sign-in?any=1${prompt === 'login' ? '&fresh=1' : ''}`;
}
