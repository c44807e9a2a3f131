import { isAccountState } from '../../enrollment/person-state.js';
import { MEMBER_ACTS, type MemberActName } from '../tasks/member-acts.js';
import type { MemberFilter } from './member-selection.js';

/**
 * For the partial `console/bulk`: what can be done with several members at once. @param from the list it stands under
 */
export function bulkForm(appId: string, { search, state }: MemberFilter, from: 'members' | 'users') {
  const names = (Object.keys(MEMBER_ACTS) as MemberActName[]).filter((name) => fits(name, state));
  return {
    action: `/console/apps/${appId}/members/bulk`,
    from,
    q: search ?? '',
    status: state ?? '',
    whom: [
      { value: 'ticked', label: 'Selected members', isChosen: true },
      { value: 'all', label: search || state ? 'All matching members' : 'All members', isChosen: false },
    ],
    acts: names.map((name) => ({ value: name, label: MEMBER_ACTS[name].button, isChosen: false })),
  };
}

/** In a list of one state of enrollments, only what can be done with that. */
function fits(name: MemberActName, state: MemberFilter['state']): boolean {
  const { of } = MEMBER_ACTS[name];
  return !state || isAccountState(state) || of === null || of === state;
}
