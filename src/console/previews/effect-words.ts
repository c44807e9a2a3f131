import type { EffectCount, PastSummary } from '../../previews/effects/effect-counter.js';
import { PAST_DAYS } from '../../previews/effects/past-sign-ins.js';
import { quantity } from '../../common/pages/quantity.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { methodLabel } from '../frame/lists/method-label.js';

interface Words {
  /** Text after the number: `1 user …`, `2 users …`. */
  readonly one: string;
  readonly many: string;
  readonly tone: 'bad' | 'warn' | 'plain';
}

const EFFECT_WORDS: Readonly<Record<Effect, Words>> = {
  shut_out: { one: 'user can no longer sign in', many: 'users can no longer sign in', tone: 'bad' },
  verify_email: {
    one: 'user must verify the e-mail address first',
    many: 'users must verify their e-mail address first',
    tone: 'warn',
  },
  set_up_second_factor: {
    one: 'user must set up a second factor at the next sign-in',
    many: 'users must set up a second factor at their next sign-in',
    tone: 'warn',
  },
  second_factor: {
    one: 'user is asked for the second factor that they have',
    many: 'users are asked for the second factor that they have',
    tone: 'plain',
  },
  other_method: {
    one: 'user must use another sign-in method',
    many: 'users must use another sign-in method',
    tone: 'warn',
  },
  role_withdrawn: {
    one: 'user keeps a role that the app no longer offers',
    many: 'users keep a role that the app no longer offers',
    tone: 'warn',
  },
  let_in: {
    one: 'user can sign in who could not before',
    many: 'users can sign in who could not before',
    tone: 'plain',
  },
};

const RULES: Readonly<Record<string, string>> = {
  user_active: 'The account is switched off',
  app_active: 'The app is switched off',
  tenant_active: 'The tenant is switched off',
  not_suspended: 'Suspended in the app',
  not_pending: 'Access request not approved',
  enrolled: 'Not a member',
  method_allowed: 'The sign-in method is not accepted',
  email_proven: 'The e-mail address is not verified',
  second_factor_shown: 'A second factor is required',
  second_factor_set_up: 'No second factor is set up',
  role_offered: 'The role stays until you change their roles',
};

/** `2 users can no longer sign in` */
export function effectHeading({ effect, count }: Pick<EffectCount, 'effect' | 'count'>): string {
  const { one, many } = EFFECT_WORDS[effect];
  return quantity(count, one, many);
}

/** One effect on the review page: a text with the number, and the first users. */
export function effectInWords({ effect, count, users }: EffectCount) {
  return {
    id: effect.replaceAll('_', '-'),
    heading: effectHeading({ effect, count }),
    tone: EFFECT_WORDS[effect].tone,
    more: count > users.length ? (count - users.length).toLocaleString('en') : null,
    users: users.map(({ appName, userId, email, displayName, rule, methodBefore, methodAfter }) => ({
      href: `/console/users/${userId}`,
      name: displayName,
      email,
      app: appName,
      reason: ruleInWords(rule),
      method: methodInWords(methodBefore),
      next: effect !== 'shut_out' && methodAfter !== methodBefore ? methodInWords(methodAfter) : null,
    })),
  };
}

/** `4,210 sign-ins in the last 30 days, of which 312 would have had a different result.` */
export function pastInWords({ signIns, rules }: PastSummary): string | null {
  if (signIns === 0) return null;
  const count = rules.reduce((sum, each) => sum + each.count, 0);
  const total = quantity(signIns, 'sign-in', 'sign-ins');
  const said = `${total} in the last ${PAST_DAYS} days, of which ${count.toLocaleString('en')} would have had a different result`;
  const reasons = rules.map((each) => `${each.count.toLocaleString('en')}: ${ruleInWords(each.rule)}`).join('; ');
  return reasons ? `${said} (${reasons}).` : `${said}.`;
}

export function ruleInWords(rule: string): string {
  return RULES[rule] ?? rule;
}

function methodInWords(method: string | null): string {
  return method === null ? 'None' : methodLabel(method);
}
