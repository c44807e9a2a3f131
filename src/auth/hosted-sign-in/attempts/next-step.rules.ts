import type { RegistrationPolicy } from '../../../apps/app/app-config.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import type { AcrVerdict } from '../../entry/requested-acr.rules.js';

/** Everything the sign-in may still need from the user, or how it ends. */
export type NextStep =
  | 'password'
  | 'sign_up'
  | 'invited_sign_up'
  | 'forgot'
  | 'magic_link'
  | 'passkey'
  | 'second_factor'
  | 'second_factor_setup'
  | 'passkey_recovery'
  | 'join'
  | 'invite'
  | 'request_access'
  | 'verify_email'
  | 'confirm'
  | 'keep_account'
  | 'consent'
  | 'consent_denied'
  | 'no_access'
  | 'suspended'
  | 'acr_unmet'
  | 'approve_device'
  | 'offer_passkey'
  | 'finish';

/** `none`: the app asks for none, or it was given before. */
export type ConsentState = 'none' | 'due' | 'denied';

/** What the attempt has come to; plain values, read afresh at every step. */
export interface Progress {
  readonly isIdentified: boolean;
  /** The identity came from the SSO session of this browser, not from credentials given here. */
  readonly viaSso: boolean;
  /** Age of the credentials in seconds; null while not identified. */
  readonly credentialsAge: number | null;
  /** By a provider that did not say that it had asked for credentials, and the app takes some that the user has here. */
  readonly isUnprompted: boolean;
  /** The same, whatever the app takes. */
  readonly isUnproven: boolean;
  readonly prompt: 'login' | 'none' | null;
  /** Seconds; null where the app did not ask. */
  readonly maxAge: number | null;
  /** What the app wants the user to be asked (`prompt=select_account`, `prompt=consent`), until they have answered. */
  readonly confirm: 'account' | 'consent' | null;
  /** The user's own deletion of the account waits, and they have not been asked in this sign-in. */
  readonly deletionWaits: boolean;
  /** The sign-in is for a device that waits elsewhere. */
  readonly isForDevice: boolean;
  /** A device waits for this sign-in, and the user has not allowed it. */
  readonly deviceWaits: boolean;
  /** Whether the user is asked what the app may get; `due` also for who joins it with the answer. */
  readonly consent: ConsentState;
  /** Null while not identified. */
  readonly entry: EntryVerdict | null;
  /** What the `acr` that the app asked for still takes. */
  readonly acr: AcrVerdict;
  /** The tenant would like users to have a passkey, and this one has none and was not asked lately. */
  readonly offersPasskey: boolean;
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  /** The request brought an invite code, and the user has neither used nor declined it. */
  readonly carriesInvite: boolean;
}

/**
 * The state machine of the hosted sign-in. Every step saves what it learned and comes back here, so steps do not know
 * each other; a new sign-in method is a new result of this function and a new step, not a new controller.
 */
export function nextStep(progress: Progress): NextStep {
  if (!progress.isIdentified || progress.entry === null || needsFreshCredentials(progress)) return 'password';
  switch (progress.entry) {
    case 'enter':
      if (progress.acr !== 'met') return stepUp(progress.acr, progress);
      // Members may have been invited to more than they have.
      if (progress.carriesInvite && progress.prompt !== 'none') return 'invite';
      if (progress.deletionWaits && progress.prompt !== 'none') return 'keep_account';
      if (progress.deviceWaits) return 'approve_device';
      if (progress.consent !== 'none') return CONSENT_STEPS[progress.consent];
      if (isToBeConfirmed(progress)) return 'confirm';
      return isToBeOffered(progress) ? 'offer_passkey' : 'finish';
    case 'suspended':
      // A session is no proof for an app that suspended its user: another user may sign in here.
      return progress.viaSso ? 'password' : 'suspended';
    case 'user_inactive':
    case 'method_not_allowed':
      return 'password';
    case 'not_enrolled':
      return progress.consent === 'none' ? wayIn(progress) : CONSENT_STEPS[progress.consent];
    case 'second_factor_due':
      return stepUp('second_factor', progress);
    case 'second_factor_required':
      return stepUp('second_factor_setup', progress);
    case 'pending':
      return progress.carriesInvite ? 'invite' : 'no_access';
    case 'email_not_verified':
      return 'verify_email';
    case 'app_closed':
      return 'no_access';
  }
}

const CONSENT_STEPS = { due: 'consent', denied: 'consent_denied' } as const;

function stepUp(needed: Exclude<AcrVerdict, 'met'>, progress: Progress): NextStep {
  const { viaSso, credentialsAge } = progress;
  // A password typed long ago opens nothing, not even the question for the code.
  if (needed === 'second_factor' && !viaSso && (credentialsAge ?? 0) > GRACE_SECONDS) return 'password';
  return isTooOldForSetup(progress) ? 'password' : needed;
}

/**
 * Another person may use a session from this morning by now, or a page that was left open: they must not bind their phone to the
 * account. A user who has just signed in has time to install an authenticator app.
 */
export function isTooOldForSetup(facts: SetupFacts & Pick<Progress, 'viaSso' | 'credentialsAge'>): boolean {
  return isSetupDue(facts) && (facts.credentialsAge ?? 0) > (facts.viaSso ? GRACE_SECONDS : SETUP_SECONDS);
}

/**
 * The first factor is shown at the beginning and at the end of the wait for lost passkeys (docs/decisions/0065). A session from this
 * morning shows nothing.
 */
export function isTooOldForRecovery({ credentialsAge }: Pick<Progress, 'credentialsAge'>): boolean {
  return (credentialsAge ?? 0) > GRACE_SECONDS;
}

/** For a user who is not in the app. Console apps can be joined only with an invite. */
function wayIn({ carriesInvite, isConsoleApp, policy }: Progress): NextStep {
  if (carriesInvite) return 'invite';
  if (isConsoleApp) return 'no_access';
  switch (policy) {
    case 'open':
      return 'join';
    case 'approval':
      return 'request_access';
    case 'invite':
      return 'invite';
  }
}

/** A user who has just entered credentials has chosen the account, but can still refuse consent. */
function isToBeConfirmed({ confirm, viaSso }: Progress): boolean {
  return confirm === 'consent' || (confirm === 'account' && viaSso);
}

/** Only right after the password: who makes a passkey with it makes it for the account that they have just proven. */
function isToBeOffered({ offersPasskey, viaSso, credentialsAge }: Progress): boolean {
  return offersPasskey && !viaSso && (credentialsAge ?? 0) <= GRACE_SECONDS;
}

function needsFreshCredentials(progress: Progress): boolean {
  const { viaSso, prompt, maxAge, credentialsAge } = progress;
  if (viaSso && prompt === 'login') return true;
  if (isToConfirm(progress)) return true;
  return maxAge !== null && credentialsAge !== null && credentialsAge > Math.max(maxAge, viaSso ? 0 : GRACE_SECONDS);
}

export type ConfirmationFacts = Pick<
  Progress,
  'isIdentified' | 'entry' | 'acr' | 'isUnprompted' | 'isUnproven' | 'prompt' | 'maxAge' | 'isForDevice'
>;

type SetupFacts = Pick<Progress, 'entry' | 'acr'>;

/**
 * To confirm who it is would lead nowhere: the app does not let this user in, or another user or method may be the way in, or a second
 * factor is asked for next, which confirms it as well.
 */
const NOT_TO_CONFIRM: ReadonlySet<EntryVerdict | null> = new Set([
  null,
  'suspended',
  'user_inactive',
  'app_closed',
  'not_enrolled',
  'pending',
  'method_not_allowed',
  'second_factor_due',
]);

/**
 * Whether users have to confirm with credentials of their own that it is them, because the answer of a provider proves too little: for an
 * app that wants a recent sign-in, for a device, which stays signed in when this browser is closed, and before a second factor is set up.
 */
export function isToConfirm(facts: ConfirmationFacts): boolean {
  const { isIdentified, entry, isUnprompted, prompt, maxAge, isForDevice } = facts;
  if (!isIdentified || NOT_TO_CONFIRM.has(entry)) return false;
  return (isUnprompted && (prompt === 'login' || maxAge !== null || isForDevice)) || isToConfirmSetup(facts);
}

/**
 * Another person at an open browser must not bind their phone to the account. The factor counts from then on, at every app and in later
 * sign-ins, so it makes no difference that this app accepts no credentials of the user's own.
 */
export function isToConfirmSetup(facts: ConfirmationFacts): boolean {
  return isSetupDue(facts) && facts.isUnproven;
}

function isSetupDue({ entry, acr }: SetupFacts): boolean {
  return entry === 'second_factor_required' || (entry === 'enter' && acr === 'second_factor_setup');
}

/** With max_age=0 the time between typing the password and this question must not ask for it again. */
const GRACE_SECONDS = 300;

/** How old a sign-in may be that sets up a second factor. A `setup_token` lives as long. */
const SETUP_SECONDS = 900;

/** What a signed-in user may do instead of the next step. */
export function alternativesTo(step: NextStep): NextStep[] {
  if (step === 'second_factor') return ['passkey_recovery'];
  return step === 'join' || step === 'request_access' ? ['invite'] : [];
}

/**
 * Other ways in that the sign-in page may offer beside the password.
 * @param carriesInvite the request has an invite code, valid or not: the answer does not say which
 */
export function offeredSteps(
  app: {
    readonly registrationPolicy: RegistrationPolicy;
    readonly isConsoleApp: boolean;
    readonly providers: readonly string[];
  },
  carriesInvite: boolean,
): NextStep[] {
  const allowsPassword = app.providers.includes('password');
  const takesInvites = carriesInvite || (app.registrationPolicy === 'invite' && !app.isConsoleApp);
  const allowsPasskey = app.providers.includes('passkey');
  const letsComeBack = allowsPassword || allowsPasskey || app.providers.includes('magic_link');
  const opensAccounts = app.registrationPolicy !== 'invite' && !app.isConsoleApp && (allowsPassword || allowsPasskey);
  return [
    ...(opensAccounts ? ['sign_up' as const] : []),
    ...(takesInvites && letsComeBack ? ['invited_sign_up' as const] : []),
    ...(allowsPassword ? ['forgot' as const] : []),
    ...(app.providers.includes('magic_link') ? ['magic_link' as const] : []),
    ...(allowsPasskey ? ['passkey' as const] : []),
  ];
}
