import type { App } from '../../../apps/app/app.entity.js';
import type { CheckedRule } from '../../../admin/users/access-check/access-check.rules.js';

const RULES: Readonly<Record<string, string>> = {
  user_active: 'Account',
  app_active: 'App',
  tenant_active: 'Tenant',
  not_suspended: 'Suspension',
  not_pending: 'Approval',
  enrolled: 'Membership',
  method_allowed: 'Method of an existing session',
  email_proven: 'Verified e-mail address',
  second_factor_shown: 'Second factor at sign-in',
  second_factor_set_up: 'Second factor required',
  password: 'By password',
  magic_link: 'By sign-in link',
  passkey: 'By passkey',
  google: 'By Google',
  microsoft: 'By Microsoft',
  github: 'By GitHub',
  apple: 'By Apple',
  email_verified: 'E-mail address',
  second_factor_tries: 'Second-factor attempts',
};

const VERDICTS = {
  pass: { text: 'Passed', tone: 'plain' },
  fail: { text: 'Blocked', tone: 'bad' },
  info: { text: 'Info', tone: 'neutral' },
} as const;

/** What an administrator can do about a rule that blocks the sign-in. */
export interface RuleFix {
  readonly label: string;
  readonly url: string;
  /** True: a form that does it at once; false: a page. */
  readonly isForm: boolean;
}

/** The user, and whether the reader can open the page of the whole account. */
export interface FixContext {
  readonly userId: string;
  readonly isPlatform: boolean;
}

/** Null if nothing in the console helps, for example if only the user can set up a second factor. */
export function fixOf(rule: string, app: Pick<App, 'id' | 'name'>, { userId, isPlatform }: FixContext): RuleFix | null {
  const userPage = `/console/users/${userId}`;
  switch (rule) {
    case 'not_suspended':
      return { label: `Reactivate in ${app.name}`, url: `${userPage}/apps/${app.id}/reactivate`, isForm: true };
    case 'not_pending':
      return { label: `Approve in ${app.name}`, url: `${userPage}/apps/${app.id}/approve`, isForm: true };
    case 'enrolled':
      return { label: `Add to ${app.name}`, url: `${userPage}/enrol?app=${app.id}`, isForm: false };
    case 'app_active':
      return { label: `Open ${app.name}`, url: `/console/apps/${app.id}`, isForm: false };
    case 'password':
    case 'magic_link':
      return isPlatform ? { label: 'Open limits and password', url: `${userPage}/account`, isForm: false } : null;
    default:
      return null;
  }
}

/** A rule of the access check as text. */
export function ruleInWords(
  rule: string,
  verdict: CheckedRule['verdict'],
): { readonly label: string; readonly text: string; readonly tone: 'plain' | 'bad' | 'neutral' } {
  return { label: RULES[rule] ?? rule.replaceAll('_', ' '), ...VERDICTS[verdict] };
}
