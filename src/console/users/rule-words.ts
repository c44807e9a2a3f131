import type { CheckedRule } from '../../admin/people/access-check.rules.js';

const RULES: Readonly<Record<string, string>> = {
  user_active: 'Account',
  app_active: 'App',
  tenant_active: 'Tenant',
  not_suspended: 'Suspension',
  not_pending: 'Approval',
  enrolled: 'Enrollment',
  method_allowed: 'Sign-in in another app',
  email_proven: 'Verified e-mail address',
  second_factor_shown: 'Second factor at sign-in',
  second_factor_set_up: 'Second factor required',
  password: 'By password',
  magic_link: 'By e-mailed link',
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
  info: { text: 'Info', tone: 'info' },
} as const;

/** A rule of the access check as the console says it. */
export function ruleInWords(
  rule: string,
  verdict: CheckedRule['verdict'],
): { readonly label: string; readonly text: string; readonly tone: 'plain' | 'bad' | 'info' } {
  return { label: RULES[rule] ?? rule.replaceAll('_', ' '), ...VERDICTS[verdict] };
}
