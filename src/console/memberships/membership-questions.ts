import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import type { User } from '../../users/user.entity.js';
import type { Fields } from '../frame/requests/console-request.js';
import { MEMBERSHIP_WORDS, type Question } from './membership-words.js';

/** Field with the unverified address for which the question was shown. */
export const CONFIRMED_EMAIL = 'confirmed_email';

/** The question before the action; null: none. */
export function questionOf(name: MembershipActionName, user: Pick<User, 'emailVerified'>): Question | null {
  const { question, questionOfUnverified } = MEMBERSHIP_WORDS[name];
  if (questionOfUnverified && !user.emailVerified) return questionOfUnverified;
  return MEMBERSHIP_ACTIONS[name].isDestructive ? question : null;
}

/** Whether the question must still be asked: the operator has not confirmed this unverified address. */
export function isUnasked(
  name: MembershipActionName,
  user: Pick<User, 'email' | 'emailVerified'>,
  fields: Fields,
): boolean {
  const needsConfirmation = MEMBERSHIP_WORDS[name].questionOfUnverified !== null && !user.emailVerified;
  return needsConfirmation && fields[CONFIRMED_EMAIL] !== user.email;
}
