import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { isAccountState, type UserState } from '../../enrollment/users/user-state.js';
import { MEMBERSHIP_WORDS } from './membership-words.js';

/** Filters of a list of members. */
export interface MemberFilter {
  readonly search?: string;
  readonly state?: UserState;
}

/**
 * Model of the partial `console/bulk`: the actions on several members.
 * @param list with which the form is shown, and its number of members; null: too many to count
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

/** In a list of one state, only the actions that apply to that state. */
function fits(name: MembershipActionName, state: MemberFilter['state']): boolean {
  const { from } = MEMBERSHIP_ACTIONS[name];
  return !state || isAccountState(state) || from === null || from === state;
}
