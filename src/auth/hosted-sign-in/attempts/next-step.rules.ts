import type { RegistrationPolicy } from '../../../apps/app/app-config.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import type { AcrVerdict } from '../../entry/requested-acr.rules.js';

/** Everything that the sign-in may still need from the user, and the ways in which it ends. */
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

/** `none`: the app needs no consent, or the user has already given it. */
export type ConsentState = 'none' | 'due' | 'denied';

/** The progress of an attempt: plain values, read again at every step. */
export interface Progress {
  readonly isIdentified: boolean;
  /** The identity came from the SSO session of this browser, not from credentials given here. */
  readonly viaSso: boolean;
  /** Age of the credentials in seconds; null while not identified. */
  readonly credentialsAge: number | null;
  /**
   * The user signed in at a provider that may not have asked for credentials, and the app accepts a password or passkey
   * that the user has here.
   */
  readonly isUnprompted: boolean;
  /** As `isUnprompted`, whichever credentials the app accepts. */
  readonly isUnproven: boolean;
  readonly prompt: 'login' | 'none' | null;
  /** Seconds; null where the app did not ask. */
  readonly maxAge: number | null;
  /** The question that the app requests (`prompt=select_account`, `prompt=consent`), until the user has answered it. */
  readonly confirm: 'account' | 'consent' | null;
  /**
   * The user has requested the deletion of the account, it is still pending, and this sign-in has not asked about it
   * yet.
   */
  readonly deletionWaits: boolean;
  /** The sign-in is for a device that waits elsewhere. */
  readonly isForDevice: boolean;
  /** A device waits for this sign-in, and the user has not allowed it. */
  readonly deviceWaits: boolean;
  /** Whether the user must be asked for consent; `due` also for users who join the app with their answer. */
  readonly consent: ConsentState;
  /** Null while not identified. */
  readonly entry: EntryVerdict | null;
  /** What the requested `acr` still requires. */
  readonly acr: AcrVerdict;
  /** The tenant offers passkeys, and this user has none and was not asked recently. */
  readonly offersPasskey: boolean;
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  /** The request brought an invite code, and the user has neither used nor declined it. */
  readonly carriesInvite: boolean;
}

/**
 * The state machine of the hosted sign-in. Every step saves its result and returns here, so that steps do not depend on
 * each other. A new sign-in method is a new result of this function and a new step, not a new controller.
 */
export function nextStep(progress: Progress): NextStep {
  if (!progress.isIdentified || progress.entry === null || needsFreshCredentials(progress)) return 'password';
  switch (progress.entry) {
    case 'enter':
      if (progress.acr === 'other_method') return 'password';
      if (progress.acr !== 'met') return stepUp(progress.acr, progress);
      // Members may have been invited to more rights than they have.
      if (progress.carriesInvite && progress.prompt !== 'none') return 'invite';
      if (progress.deletionWaits && progress.prompt !== 'none') return 'keep_account';
      if (progress.deviceWaits) return 'approve_device';
      if (progress.consent !== 'none') return CONSENT_STEPS[progress.consent];
      if (isConfirmStepDue(progress)) return 'confirm';
      return isToBeOffered(progress) ? 'offer_passkey' : 'finish';
    case 'suspended':
      // A session does not prove who sits in front of the browser. If the app has suspended its user, another user may
      // sign in.
      return progress.viaSso ? 'password' : 'suspended';
    case 'user_inactive':
    case 'method_not_allowed':
      return 'password';
    case 'not_enrolled':
      return progress.consent === 'none' ? joinStep(progress) : CONSENT_STEPS[progress.consent];
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

function stepUp(needed: Exclude<AcrVerdict, 'met' | 'other_method'>, progress: Progress): NextStep {
  const { viaSso, credentialsAge } = progress;
  // A first factor that was shown in this attempt long ago opens nothing, not even the question for the second factor.
  if (needed === 'second_factor' && !viaSso && (credentialsAge ?? 0) > GRACE_SECONDS) return 'password';
  return isTooOldForSetup(progress) ? 'password' : needed;
}

/**
 * Another person may now use a session from this morning or a page that was left open, and must not bind their phone to
 * the account. A user who has just signed in has more time, to install an authenticator app.
 */
export function isTooOldForSetup(facts: SetupFacts & Pick<Progress, 'viaSso' | 'credentialsAge'>): boolean {
  return isSetupDue(facts) && (facts.credentialsAge ?? 0) > (facts.viaSso ? GRACE_SECONDS : SETUP_SECONDS);
}

/**
 * Whether the first factor is too old for the recovery of lost passkeys: it must be shown at the beginning and at the
 * end of the wait (docs/decisions/0065), and a session from this morning does not show it.
 */
export function isTooOldForRecovery({ credentialsAge }: Pick<Progress, 'credentialsAge'>): boolean {
  return (credentialsAge ?? 0) > GRACE_SECONDS;
}

/** The next step of a user who is not enrolled. Console apps can only be joined with an invite. */
function joinStep({ carriesInvite, isConsoleApp, policy }: Progress): NextStep {
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

/** Users who have just authenticated have chosen the account, but can still refuse consent. */
function isConfirmStepDue({ confirm, viaSso }: Progress): boolean {
  return confirm === 'consent' || (confirm === 'account' && viaSso);
}

/** Only right after the password, so that the passkey is made for the account that was just proven. */
function isToBeOffered({ offersPasskey, viaSso, credentialsAge }: Progress): boolean {
  return offersPasskey && !viaSso && (credentialsAge ?? 0) <= GRACE_SECONDS;
}

function needsFreshCredentials(progress: Progress): boolean {
  const { viaSso, prompt, maxAge, credentialsAge } = progress;
  if (viaSso && prompt === 'login') return true;
  if (mustReauthenticate(progress)) return true;
  return maxAge !== null && credentialsAge !== null && credentialsAge > Math.max(maxAge, viaSso ? 0 : GRACE_SECONDS);
}

export type ReauthenticationFacts = Pick<
  Progress,
  'isIdentified' | 'entry' | 'acr' | 'isUnprompted' | 'isUnproven' | 'prompt' | 'maxAge' | 'isForDevice'
>;

type SetupFacts = Pick<Progress, 'entry' | 'acr'>;

/**
 * Verdicts with which a confirmation would be of no use: the app does not let this user in, or another user or method
 * may get in, or the next step asks for a second factor, which also confirms the identity.
 */
const NO_REAUTHENTICATION: ReadonlySet<EntryVerdict | null> = new Set([
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
 * Whether users must confirm their identity with their own credentials, because the answer of a provider does not prove
 * enough: for an app that wants a recent sign-in, for a device, which stays signed in when this browser is closed, and
 * before a second factor is set up.
 */
export function mustReauthenticate(facts: ReauthenticationFacts): boolean {
  const { isIdentified, entry, isUnprompted, prompt, maxAge, isForDevice } = facts;
  if (!isIdentified || NO_REAUTHENTICATION.has(entry)) return false;
  return (isUnprompted && (prompt === 'login' || maxAge !== null || isForDevice)) || mustReauthenticateForSetup(facts);
}

/**
 * Another person at an open browser must not bind their phone to the account. The second factor will count at every app
 * and in later sign-ins, so a confirmation is needed even if this app accepts none of the credentials that the user
 * has.
 */
export function mustReauthenticateForSetup(facts: ReauthenticationFacts): boolean {
  return isSetupDue(facts) && facts.isUnproven;
}

/** Whether the app, or the request (`acr`), still needs a second factor that the user has not set up. */
export function isSetupDue({ entry, acr }: SetupFacts): boolean {
  return entry === 'second_factor_required' || (entry === 'enter' && acr === 'second_factor_setup');
}

/** With `max_age=0`, the time between typing the password and this check must not require the password again. */
const GRACE_SECONDS = 300;

/** Maximum age of a sign-in that sets up a second factor. A `setup_token` has the same lifetime. */
const SETUP_SECONDS = 900;

/** The steps that a signed-in user may choose instead of the next one. */
export function alternativesTo(step: NextStep): NextStep[] {
  if (step === 'second_factor') return ['passkey_recovery'];
  return step === 'join' || step === 'request_access' ? ['invite'] : [];
}

/**
 * The steps that the sign-in page may offer in addition to the password.
 * @param carriesInvite whether the request has an invite code, valid or not: the response must not show which
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
