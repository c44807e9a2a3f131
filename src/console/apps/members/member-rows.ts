import type { Enrollment } from '../../../enrollment/enrollments/enrollment.entity.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import type { User } from '../../../users/user.entity.js';
import type { App } from '../../../apps/app/app.entity.js';
import { MEMBER_STATES } from '../../memberships/member-states.js';
import { appPath } from '../page/app-tabs.js';

/** A user's membership in an app, for a row of the list and for the member's page. */
export function memberRow(app: App, user: User, enrollment: Enrollment, now: Date) {
  const { status, roles, createdAt, lastLoginAt } = enrollment;
  const path = appPath(app, 'members', `/${user.id}`);
  return {
    id: user.id,
    name: user.displayName,
    email: user.email,
    isOff: !user.isActive,
    isUnverified: !user.emailVerified,
    // Approval relies on the e-mail address, so the operator must confirm an unverified one.
    asksToApprove: status === 'pending' && !user.emailVerified,
    state: MEMBER_STATES[status],
    isPending: status === 'pending',
    isActive: status === 'active',
    isSuspended: status === 'suspended',
    requestMessage: enrollment.requestMessage,
    roles: roles.join(', '),
    since: timeInWords(createdAt, now),
    lastSignIn: lastLoginAt ? timeInWords(lastLoginAt, now) : null,
    href: path,
    userUrl: `/console/users/${user.id}`,
  };
}
