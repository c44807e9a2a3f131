import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { UserInDetail } from '../../../admin/users/directory/user-detail.view.js';
import { UserDetailsService } from '../../../admin/users/directory/user-details.service.js';
import { authorityOf } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { type Badge, badgesOf } from './user-badges.js';

export type UserTab = 'overview' | 'access' | 'sessions' | 'timeline' | 'mails' | 'account';

const TABS: readonly { readonly tab: UserTab; readonly label: string; readonly path: string }[] = [
  { tab: 'overview', label: 'Overview', path: '' },
  { tab: 'access', label: 'Why can’t they sign in?', path: '/access' },
  { tab: 'sessions', label: 'Sessions and devices', path: '/sessions' },
  { tab: 'timeline', label: 'Activity', path: '/timeline' },
  { tab: 'mails', label: 'E-mails', path: '/mails' },
  { tab: 'account', label: 'Account', path: '/account' },
];

export interface UserPage {
  readonly tab: UserTab;
  /** Path under `views/console/users/`. */
  readonly view: string;
  readonly status?: number;
  readonly model: Readonly<Record<string, unknown>>;
}

/** The pages of one user: name and state above the content of the tab. */
@Injectable()
export class UserPages {
  constructor(
    private readonly users: UserDetailsService,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  /** @throws UserNotFound also for a user outside the caller's authority */
  find(consoleRequest: ConsoleRequest, userId: string): Promise<UserInDetail> {
    return this.users.detail(consoleRequest.ctx, userId);
  }

  show(consoleRequest: ConsoleRequest, response: Response, detail: UserInDetail, page: UserPage): Promise<void> {
    const { user } = detail;
    const now = this.clock.now();
    const { platform } = authorityOf(consoleRequest.actor);
    const base = `/console/users/${user.id}`;
    const isFirst = page.tab === 'overview';
    return this.pages.show(consoleRequest, response, {
      view: `users/${page.view}`,
      title: isFirst ? user.displayName : TABS.find(({ tab }) => tab === page.tab)!.label,
      area: 'users',
      tenantId: tenantOf(detail, consoleRequest),
      status: page.status,
      crumbs: [
        { label: 'Users', href: '/console/users' },
        ...(isFirst ? [] : [{ label: user.displayName, href: base }]),
      ],
      model: {
        user: {
          id: user.id,
          name: user.displayName,
          email: user.email,
          badges: [...badgesOf(user), ...membershipBadges(detail)],
          lastLogin: user.lastLoginAt && timeInWords(user.lastLoginAt, now),
          since: timeInWords(user.createdAt, now),
          isSelf: consoleRequest.actor.userId === user.id,
        },
        tabs: TABS.filter(({ tab }) => platform || tab !== 'account').map(({ tab, label, path }) => ({
          label,
          href: `${base}${path}`,
          isCurrent: tab === page.tab,
        })),
        base,
        isPlatform: platform,
        ...page.model,
      },
    });
  }
}

/** The chosen tenant if the user belongs to it, otherwise the user's only tenant; null: several, or none. */
function tenantOf({ enrollments }: UserInDetail, { chosenTenantId }: ConsoleRequest): string | null {
  const tenants = new Set(enrollments.map(({ tenantId }) => tenantId));
  if (chosenTenantId && tenants.has(chosenTenantId)) return chosenTenantId;
  return tenants.size === 1 ? [...tenants][0]! : null;
}

function membershipBadges({ enrollments }: UserInDetail): Badge[] {
  const appsWith = (status: string): string[] =>
    enrollments.filter(({ enrollment }) => enrollment.status === status).map(({ appName }) => appName);
  const badge = (what: string, names: readonly string[], tone: Badge['tone']): Badge[] =>
    names.length === 0
      ? []
      : [{ text: names.length > 2 ? `${what} in ${names.length} apps` : `${what} in ${names.join(' and ')}`, tone }];
  return [...badge('Suspended', appsWith('suspended'), 'bad'), ...badge('Waiting', appsWith('pending'), 'off')];
}
