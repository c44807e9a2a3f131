import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import type { User } from '../../users/user.entity.js';
import type { Fields } from '../frame/requests/console-request.js';
import { MEMBERSHIP_WORDS, type Question } from './membership-words.js';

/** The form of a question about an unverified address says which one was shown. */
export const CONFIRMED_EMAIL = 'confirmed_email';

/** What is asked before this is done to this user; null: nothing. */
export function questionOf(name: MembershipActionName, user: Pick<User, 'emailVerified'>): Question | null {
  const { question, questionOfUnverified } = MEMBERSHIP_WORDS[name];
  if (questionOfUnverified && !user.emailVerified) return questionOfUnverified;
  return MEMBERSHIP_ACTIONS[name].isDestructive ? question : null;
}

/** Whether it must still be asked: no one has confirmed that this unverified address is meant. */
export function isUnasked(
  name: MembershipActionName,
  user: Pick<User, 'email' | 'emailVerified'>,
  fields: Fields,
): boolean {
  const isAsked = MEMBERSHIP_WORDS[name].questionOfUnverified !== null && !user.emailVerified;
  return isAsked && fields[CONFIRMED_EMAIL] !== user.email;
}
