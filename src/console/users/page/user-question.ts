import type { User } from '../../../users/user.entity.js';
import { PLAIN_CONFIRMATION } from '../../frame/pages/confirmation.js';

/** The common parts of every question before an action on an account. */
export function questionAbout(user: User, act: string) {
  const base = `/console/users/${user.id}`;
  return {
    ...PLAIN_CONFIRMATION,
    area: 'users' as const,
    crumbs: [
      { label: 'Users', href: '/console/users' },
      { label: user.displayName, href: base },
    ],
    action: `${base}/${act}`,
    isDanger: true,
    cancelUrl: `${base}/account`,
  };
}
