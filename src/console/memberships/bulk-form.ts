import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { isAccountState, type UserState } from '../../enrollment/users/user-state.js';
import { MEMBERSHIP_WORDS } from './membership-words.js';

/** Which members of an app a list shows. */
export interface MemberFilter {
  readonly search?: string;
  readonly state?: UserState;
}

/**
 * For the partial `console/bulk`: what can be done with several members at once.
 * @param list which one it is shown with, and how many it has; null: too many to count
 */
export function bulkForm(
  appId: string,
  { search, state }: MemberFilter,
  { from, total }: { readonly from: 'members' | 'users'; readonly total: number | null },
) {
  const names = (Object.keys(MEMBERSHIP_ACTIONS) as MembershipActionName[]).filter((name) => fits(name, state));
  return {
    action: `/console/apps/${appId}/members/bulk`,
    from,
    q: search ?? '',
    status: state ?? '',
    allLabel: `Select all ${total === null ? '' : `${total.toLocaleString('en')} `}${search || state ? 'matching members' : 'members'}`,
    acts: names.map((name) => ({ value: name, label: MEMBERSHIP_WORDS[name].button })),
  };
}

/** In a list of one state of enrollments, only what can be done with that. */
function fits(name: MembershipActionName, state: MemberFilter['state']): boolean {
  const { from } = MEMBERSHIP_ACTIONS[name];
  return !state || isAccountState(state) || from === null || from === state;
}
