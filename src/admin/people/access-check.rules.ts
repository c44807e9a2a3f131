import type { EntryRule } from '../../auth/entry/entry.rules.js';
import { PROVIDER_LABELS, type ProviderName } from '../../config/provider-settings.js';
import type { RegistrationPolicy } from '../../apps/app-config.js';

export interface CheckedRule {
  readonly rule: string;
  /** `fail` shuts the person out. `info` is worth knowing and decides nothing. */
  readonly verdict: 'pass' | 'fail' | 'info';
  readonly explanation: string;
}

export interface ExternalWay {
  readonly name: ProviderName;
  readonly isConfigured: boolean;
  readonly isLinked: boolean;
  /** What it says about an address is believed. */
  readonly vouchesForEmail: boolean;
}

export interface AccessFacts {
  /** What sign-in decides by, in its order. */
  readonly entry: readonly EntryRule[];
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  readonly takesPasswords: boolean;
  readonly takesMagicLinks: boolean;
  /** External providers that the app takes. */
  readonly external: readonly ExternalWay[];
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly emailVerified: boolean;
  /** Seconds until the next try is let through; 0 where nothing is in the way. */
  readonly wait: { readonly password: number; readonly magicLink: number; readonly secondFactor: number };
  /** The same at one of the network addresses or browsers that a user has tried from; others are not held up. */
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
    const asked = facts.hasSecondFactor ? 'A code of the second factor is asked for.' : 'There is no second factor.';
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
      return ['Not suspended in this app.', 'Suspended in this app; an administrator can reactivate.'];
    case 'not_pending':
      return ['No request for access is waiting.', 'The request for access waits for an administrator.'];
    case 'enrolled':
      return [
        facts.isConsoleApp ? 'Holds authority that opens this console, or is enrolled.' : 'Enrolled in this app.',
        notEnrolled(facts),
      ];
    case 'email_proven':
      return [
        'The e-mail address is proven, or the app does not ask for that.',
        'The app wants a proven e-mail address; the hosted page mails the link again.',
      ];
    case 'second_factor_set_up':
      return [
        facts.hasSecondFactor ? 'A second factor is set up.' : 'No second factor is demanded.',
        'The app or the tenant demands a second factor and none is set up; the hosted page leads through it.',
      ];
  }
}

/** What this browser or that has shown cannot be told from here. */
function methodSentence({ takesPasswords, takesMagicLinks, external }: AccessFacts): string {
  const methods = [
    ...(takesPasswords ? ['a password'] : []),
    ...(takesMagicLinks ? ['a link by mail'] : []),
    ...external.map(({ name }) => PROVIDER_LABELS[name]),
  ];
  const named = new Intl.ListFormat('en', { type: 'disjunction' }).format(methods);
  return `Where the person is signed in already, that counts only if it was with ${named}; otherwise they are asked to sign in again.`;
}

function notEnrolled({ policy, isConsoleApp }: AccessFacts): string {
  if (isConsoleApp) return 'Holds no authority that opens this console.';
  switch (policy) {
    case 'open':
      return 'Not enrolled; the hosted page offers to join.';
    case 'approval':
      return 'Not enrolled; access has to be requested and approved.';
    case 'invite':
      return 'Not enrolled; an invite or an administrator lets in.';
  }
}

interface Way {
  readonly rule: string;
  /** Whether a user can come this way, as far as can be told from here. */
  readonly isOpen: boolean;
  /** False where that is the provider's to say, or depends on where the person is. */
  readonly isCertain: boolean;
  readonly explanation: string;
}

/** One open way is enough: a closed one fails only where there is no other. */
function ways(facts: AccessFacts): CheckedRule[] {
  const all = [passwordWay(facts), magicLinkWay(facts), ...facts.external.map((way) => externalWay(way, facts))];
  const closed = all.some(({ isOpen }) => isOpen) ? 'info' : 'fail';
  return all.map(({ rule, isOpen, isCertain, explanation }) => {
    return { rule, verdict: !isOpen ? closed : isCertain ? 'pass' : 'info', explanation };
  });
}

function passwordWay({ takesPasswords, hasPassword, wait, waitSomewhere }: AccessFacts): Way {
  if (!takesPasswords) return closedWay('password', 'The app takes no passwords.');
  if (!hasPassword) return closedWay('password', 'The account has no password.');
  if (wait.password > 0)
    return closedWay('password', `Too many attempts: the next one passes in ${wait.password} seconds.`);
  if (waitSomewhere.password > 0) {
    const explanation =
      `Too many attempts from one network address or browser: the next one from there passes in ` +
      `${waitSomewhere.password} seconds. From elsewhere, may sign in with the password.`;
    return { ...openWay('password', explanation), isCertain: false };
  }
  return openWay('password', 'May sign in with the password.');
}

function magicLinkWay({ takesMagicLinks, wait, waitSomewhere }: AccessFacts): Way {
  if (!takesMagicLinks) return closedWay('magic_link', 'The app takes no links by mail.');
  if (wait.magicLink > 0)
    return closedWay('magic_link', `Too many links asked for: the next one is sent in ${wait.magicLink} seconds.`);
  if (waitSomewhere.magicLink > 0) {
    const explanation =
      `Too many links asked for from one network address or browser: the next one asked for from there is sent in ` +
      `${waitSomewhere.magicLink} seconds. From elsewhere, may sign in with a link by mail.`;
    return { ...openWay('magic_link', explanation), isCertain: false };
  }
  return openWay('magic_link', 'May sign in with a link by mail.');
}

/** An account is linked by address only where both sides have proven it (see `link.rules.ts`). */
function externalWay({ name, ...way }: ExternalWay, { emailVerified }: AccessFacts): Way {
  if (!way.isConfigured) return closedWay(name, 'The app takes this provider, but this service is not set up for it.');
  if (way.isLinked) return openWay(name, 'May sign in with a linked account.');
  if (!way.vouchesForEmail || !emailVerified)
    return closedWay(name, 'No account is linked; the person links one on the account page.');
  const explanation =
    'No account is linked yet; one whose address the provider has proven is linked at the first sign-in.';
  return { ...openWay(name, explanation), isCertain: false };
}

function openWay(rule: string, explanation: string): Way {
  return { rule, isOpen: true, isCertain: true, explanation };
}

function closedWay(rule: string, explanation: string): Way {
  return { rule, isOpen: false, isCertain: true, explanation };
}

function remarks({ emailVerified, wait }: AccessFacts): CheckedRule[] {
  const verified = emailVerified
    ? 'The e-mail address is proven.'
    : 'Nobody has proven the e-mail address; sign-in does not ask for it, a first link by mail voids what was set before.';
  const codes =
    wait.secondFactor > 0
      ? `Too many wrong codes: the next one is looked at in ${wait.secondFactor} seconds.`
      : 'Codes of the second factor are looked at.';
  return [
    { rule: 'email_verified', verdict: 'info', explanation: verified },
    { rule: 'second_factor_tries', verdict: 'info', explanation: codes },
  ];
}
