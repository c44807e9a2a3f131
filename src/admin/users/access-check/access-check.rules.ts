import type { EntryRule } from '../../../auth/entry/entry.rules.js';
import { PROVIDER_LABELS, type ProviderName } from '../../../config/provider-settings.js';
import { waitInEnglish } from '../../../common/pages/durations.js';
import type { RegistrationPolicy } from '../../../apps/app/app-config.js';

export interface CheckedRule {
  readonly rule: string;
  /** `fail` blocks the sign-in. `info` does not affect the result. */
  readonly verdict: 'pass' | 'fail' | 'info';
  readonly explanation: string;
}

export interface ExternalMethod {
  readonly name: ProviderName;
  readonly isConfigured: boolean;
  readonly isLinked: boolean;
  /** E-mail addresses that the provider reports as verified are trusted. */
  readonly vouchesForEmail: boolean;
}

export interface AccessFacts {
  /** The rules of sign-in, in the order in which they apply. */
  readonly entry: readonly EntryRule[];
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  readonly takesPasswords: boolean;
  readonly takesMagicLinks: boolean;
  readonly takesPasskeys: boolean;
  /** External providers that the app allows. */
  readonly external: readonly ExternalMethod[];
  /** False if the caller may not see linked accounts and passkeys that the user has not used at the app. */
  readonly knowsAllWays: boolean;
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
  readonly hasSecondFactor: boolean;
  readonly emailVerified: boolean;
  /** Seconds until the next attempt is allowed; 0 if it is allowed now. */
  readonly wait: { readonly password: number; readonly magicLink: number; readonly secondFactor: number };
  /** As `wait`, for a network address or browser that the user has tried from. Other places are not affected. */
  readonly waitSomewhere: { readonly password: number; readonly magicLink: number };
}

/**
 * Every rule of a sign-in with its verdict. The entry rules are those of sign-in itself, so the two always agree.
 */
export function checkAccess(facts: AccessFacts): CheckedRule[] {
  return [...facts.entry.map((rule) => entryRule(rule, facts)), ...ways(facts), ...remarks(facts)];
}

export function isAllowed(rules: readonly CheckedRule[]): boolean {
  return rules.every(({ verdict }) => verdict !== 'fail');
}

function entryRule({ rule, holds }: EntryRule, facts: AccessFacts): CheckedRule {
  if (rule === 'second_factor_shown') {
    const asked = facts.hasSecondFactor ? 'The user is asked for a second-factor code.' : 'No second factor is set up.';
    return { rule, verdict: 'info', explanation: asked };
  }
  if (rule === 'method_allowed') return { rule, verdict: 'info', explanation: methodSentence(facts) };
  const [met, unmet] = sentences(rule, facts);
  return { rule, verdict: holds ? 'pass' : 'fail', explanation: holds ? met : unmet };
}

function sentences(
  rule: Exclude<EntryRule['rule'], 'method_allowed' | 'second_factor_shown'>,
  facts: AccessFacts,
): [string, string] {
  switch (rule) {
    case 'user_active':
      return ['The account is active.', 'The account is switched off.'];
    case 'app_active':
      return ['The app is switched on.', 'The app is switched off.'];
    case 'tenant_active':
      return ['The tenant is switched on.', 'The tenant is switched off.'];
    case 'not_suspended':
      return ['Not suspended in this app.', 'Suspended in this app. An administrator can reactivate the user.'];
    case 'not_pending':
      return ['No access request is pending.', 'The access request is pending. An administrator can approve it.'];
    case 'enrolled':
      return [
        facts.isConsoleApp ? 'Has a role that gives access to this console, or is a member.' : 'Member of this app.',
        notEnrolled(facts),
      ];
    case 'email_proven':
      return [
        'The e-mail address is verified, or the app does not require it.',
        'The app requires a verified e-mail address. The sign-in page sends the link again.',
      ];
    case 'second_factor_set_up':
      return [
        facts.hasSecondFactor ? 'A second factor is set up.' : 'No second factor is required.',
        secondFactorSentence(facts),
      ];
  }
}

function secondFactorSentence({ knowsAllWays }: AccessFacts): string {
  const unknown = knowsAllWays ? '' : ', apart from passkeys that only platform admins can see';
  return `The app or the tenant requires a second factor, and none is set up${unknown}. The sign-in page helps to set it up.`;
}

/** The methods that the user's browsers have used are not known here. */
function methodSentence({ takesPasswords, takesMagicLinks, takesPasskeys, external }: AccessFacts): string {
  const methods = [
    ...(takesPasswords ? ['a password'] : []),
    ...(takesMagicLinks ? ['a sign-in link'] : []),
    ...(takesPasskeys ? ['a passkey'] : []),
    ...external.map(({ name }) => PROVIDER_LABELS[name]),
  ];
  const named = new Intl.ListFormat('en', { type: 'disjunction' }).format(methods);
  return `An existing session counts only if it was started with ${named}. Otherwise the user is asked to sign in again.`;
}

function notEnrolled({ policy, isConsoleApp }: AccessFacts): string {
  if (isConsoleApp) return 'Has no role that gives access to this console.';
  switch (policy) {
    case 'open':
      return 'Not a member. The sign-in page offers to join.';
    case 'approval':
      return 'Not a member. The user must request access, and an administrator must approve it.';
    case 'invite':
      return 'Not a member. The user needs an invite, or an administrator adds them.';
  }
}

interface Way {
  readonly rule: string;
  /** Whether the user can sign in with this method, as far as the caller may know. */
  readonly isOpen: boolean;
  /** False if the provider decides, or if it depends on the user's location. */
  readonly isCertain: boolean;
  readonly explanation: string;
}

/** One open method is enough: a closed method is a failure only if no other is open. */
function ways(facts: AccessFacts): CheckedRule[] {
  const all = [
    passwordWay(facts),
    magicLinkWay(facts),
    ...(facts.takesPasskeys ? [passkeyWay(facts)] : []),
    ...facts.external.map((way) => externalWay(way, facts)),
  ];
  const closed = all.some(({ isOpen }) => isOpen) ? 'info' : 'fail';
  return all.map(({ rule, isOpen, isCertain, explanation }) => {
    return { rule, verdict: !isOpen ? closed : isCertain ? 'pass' : 'info', explanation };
  });
}

function passwordWay({ takesPasswords, hasPassword, wait, waitSomewhere }: AccessFacts): Way {
  if (!takesPasswords) return closedWay('password', 'The app does not allow passwords.');
  if (!hasPassword) return closedWay('password', 'The account has no password.');
  if (wait.password > 0)
    return closedWay('password', `Too many attempts. The next one is allowed in ${waitInEnglish(wait.password)}.`);
  if (waitSomewhere.password > 0) {
    const explanation =
      `Too many attempts from one network address or browser. The next one from there is allowed in ` +
      `${waitInEnglish(waitSomewhere.password)}. From elsewhere, the user can sign in with the password.`;
    return { ...openWay('password', explanation), isCertain: false };
  }
  return openWay('password', 'Can sign in with the password.');
}

function magicLinkWay({ takesMagicLinks, wait, waitSomewhere }: AccessFacts): Way {
  if (!takesMagicLinks) return closedWay('magic_link', 'The app does not allow sign-in links.');
  if (wait.magicLink > 0)
    return closedWay(
      'magic_link',
      `Too many links requested. The next one is sent in ${waitInEnglish(wait.magicLink)}.`,
    );
  if (waitSomewhere.magicLink > 0) {
    const explanation =
      `Too many links requested from one network address or browser. The next one from there is sent in ` +
      `${waitInEnglish(waitSomewhere.magicLink)}. From elsewhere, the user can sign in with a sign-in link.`;
    return { ...openWay('magic_link', explanation), isCertain: false };
  }
  return openWay('magic_link', 'Can sign in with a sign-in link.');
}

function passkeyWay({ hasPasskey, knowsAllWays }: AccessFacts): Way {
  if (!hasPasskey && !knowsAllWays) return unknownWay('passkey', 'a passkey');
  if (!hasPasskey) return closedWay('passkey', 'No passkey is set up. The user can add one on the account page.');
  return openWay('passkey', 'Can sign in with a passkey.');
}

/** An account is linked by address only if both sides have verified the address (see `link.rules.ts`). */
function externalWay({ name, ...way }: ExternalMethod, { emailVerified, knowsAllWays }: AccessFacts): Way {
  if (!way.isConfigured)
    return closedWay(name, 'The app allows this provider, but it is not configured on this installation.');
  if (way.isLinked) return openWay(name, 'Can sign in with a linked account.');
  if (!knowsAllWays) return unknownWay(name, 'this provider');
  if (!way.vouchesForEmail || !emailVerified)
    return closedWay(name, 'No account is linked. The user can link one on the account page.');
  const explanation =
    'No account is linked yet. An account with an address that the provider has verified is linked at the first sign-in.';
  return { ...openWay(name, explanation), isCertain: false };
}

function openWay(rule: string, explanation: string): Way {
  return { rule, isOpen: true, isCertain: true, explanation };
}

/** The caller may not know whether the user has this method, so the rule must not reveal it. */
function unknownWay(rule: string, method: string): Way {
  const explanation = `The user did not use ${method} at the last sign-in here. Only platform admins can see whether it is set up for the account.`;
  return { ...openWay(rule, explanation), isCertain: false };
}

function closedWay(rule: string, explanation: string): Way {
  return { rule, isOpen: false, isCertain: true, explanation };
}

function remarks({ emailVerified, wait }: AccessFacts): CheckedRule[] {
  const verified = emailVerified
    ? 'The e-mail address is verified.'
    : 'The e-mail address is not verified. This does not block sign-in. The first e-mailed link that is used removes the password and everything else that was set before.';
  const codes =
    wait.secondFactor > 0
      ? `Too many wrong codes. The next one is accepted in ${waitInEnglish(wait.secondFactor)}.`
      : 'Second-factor attempts are within limits.';
  return [
    { rule: 'email_verified', verdict: 'info', explanation: verified },
    { rule: 'second_factor_tries', verdict: 'info', explanation: codes },
  ];
}
