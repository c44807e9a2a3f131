import { describe, expect, it } from '@jest/globals';
import { MemberSelection } from '../../../../../src/console/apps/members/member-selection.js';
import type { ConsoleRequest } from '../../../../../src/console/frame/requests/console-request.js';
import type { AppMembers } from '../../../../../src/enrollment/members/app-members.js';
import type { UserFilter } from '../../../../../src/enrollment/users/user-list.query.js';
import type { VisibleUsers } from '../../../../../src/enrollment/users/visible-users.service.js';

describe('Selection of all members', () => {
  const open = () => {
    const asked: Partial<UserFilter>[] = [];
    const users = {
      list: (_ctx: unknown, filter: Partial<UserFilter>) => {
        asked.push(filter);
        return Promise.resolve({ users: [{ id: 'one' }], next: null });
      },
    } as unknown as VisibleUsers;
    return { asked, selection: new MemberSelection(users, {} as AppMembers) };
  };
  const request = { ctx: {} } as ConsoleRequest;

  it('asks the database for both states', async () => {
    const { asked, selection } = open();
    expect(await selection.all(request, 'app', { state: 'verified' }, 'pending')).toEqual(['one']);
    expect(asked).toEqual([expect.objectContaining({ appId: 'app', state: 'verified', membership: 'pending' })]);
  });

  it('is empty for states that contradict each other, without a look at the app', async () => {
    const { asked, selection } = open();
    expect(await selection.all(request, 'app', { state: 'suspended' }, 'pending')).toEqual([]);
    expect(asked).toEqual([]);
    expect(await selection.all(request, 'app', { state: 'pending' }, 'pending')).toEqual(['one']);
    expect(await selection.all(request, 'app', { state: 'suspended' }, null)).toEqual(['one']);
  });
});
