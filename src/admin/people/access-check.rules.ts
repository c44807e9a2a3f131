import type { EntryRule } from '../../auth/entry.rules.js';
import type { RegistrationPolicy } from '../../apps/app-config.js';

export interface CheckedRule {
  readonly rule: string;
  /** `fail` shuts the person out. `info` is worth knowing and decides nothing. */
  readonly verdict: 'pass' | 'fail' | 'info';
  readonly explanation: string;
}

export interface AccessFacts {
  /** What sign-in decides by, in its order. */
  readonly entry: readonly EntryRule[];
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  /** Ways of signing in that the app takes. */
  readonly providers: readonly string[];
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly emailVerified: boolean;
  /** Seconds until the next try is let through; 0 where nothing is in the way. */
  readonly wait: { readonly password: number; readonly magicLink: number; readonly secondFactor: number };
}

/** Every rule of a sign-in with its verdict. Nobody is asked twice: the conditions of entry come from sign-in itself. */
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
  const [met, unmet] = sentences(rule, facts);
  return { rule, verdict: holds ? 'pass' : 'fail', explanation: holds ? met : unmet };
}

function sentences(rule: Exclude<EntryRule['rule'], 'second_factor_shown'>, facts: AccessFacts): [string, string] {
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
    case 'second_factor_set_up':
      return [
        facts.hasSecondFactor ? 'A second factor is set up.' : 'No second factor is demanded.',
        'The app or the tenant demands a second factor and none is set up; the hosted page leads through it.',
      ];
  }
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

/** One open way is enough: a closed one fails only where there is no other. */
function ways(facts: AccessFacts): CheckedRule[] {
  const external = facts.providers.filter((provider) => provider !== 'password' && provider !== 'magic_link');
  const closed = { password: passwordObstacle(facts), magic_link: magicLinkObstacle(facts) };
  const isOpen = external.length > 0 || closed.password === null || closed.magic_link === null;
  const own = (['password', 'magic_link'] as const).map((rule): CheckedRule => {
    const obstacle = closed[rule];
    if (obstacle === null) return { rule, verdict: 'pass', explanation: OPEN[rule] };
    return { rule, verdict: isOpen ? 'info' : 'fail', explanation: obstacle };
  });
  return [
    ...own,
    ...external.map((rule): CheckedRule => {
      return { rule, verdict: 'info', explanation: 'The app takes this provider; whether it vouches is its decision.' };
    }),
  ];
}

const OPEN = {
  password: 'May sign in with the password.',
  magic_link: 'May sign in with a link by mail.',
};

function passwordObstacle({ providers, hasPassword, wait }: AccessFacts): string | null {
  if (!providers.includes('password')) return 'The app takes no passwords.';
  if (!hasPassword) return 'The account has no password.';
  return wait.password > 0 ? `Too many attempts: the next one passes in ${wait.password} seconds.` : null;
}

function magicLinkObstacle({ providers, wait }: AccessFacts): string | null {
  if (!providers.includes('magic_link')) return 'The app takes no links by mail.';
  return wait.magicLink > 0 ? `Too many links asked for: the next one is sent in ${wait.magicLink} seconds.` : null;
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
