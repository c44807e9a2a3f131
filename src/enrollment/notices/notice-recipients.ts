import { Injectable } from '@nestjs/common';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { keyInTenant, keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { AppMembers } from '../members/app-members.js';
import { isAboutRequests, type MailOrigin } from './account-mails.js';
import type { LimitedNotice } from './security-notices.service.js';

interface Chosen {
  readonly recipients: User[];
  /** Whether a limit refused the mail to at least one user. */
  readonly areSomeRefused: boolean;
}

/**
 * Recipients of `SecurityNotices.sendLimited` at the time when the mails are sent. Above the limit `administrator_mail`,
 * they have already been warned, each by each tenant. Users cause mails about requests, so these have a limit of their
 * own: they must not use up that of the warnings. A digest counts nowhere: an app sends one a day.
 */
@Injectable()
export class NoticeRecipients {
  constructor(
    private readonly users: UsersService,
    private readonly members: AppMembers,
    private readonly apps: AppsService,
    private readonly limits: RateLimitsService,
  ) {}

  /** All attempts of a job count once; call {@link sent} after the last. */
  async choose(
    userIds: readonly string[],
    client: MailOrigin | null,
    template: LimitedNotice,
    jobId: string,
  ): Promise<Chosen> {
    const readers = await this.users.listVerified(userIds);
    const wanted = client && isAboutRequests(template) ? await this.administrators(readers, client.app) : readers;
    const recipients: User[] = [];
    for (const user of wanted) if (await this.isAllowed(user.id, client, template, jobId)) recipients.push(user);
    return { recipients, areSomeRefused: recipients.length < wanted.length };
  }

  async sent(recipients: readonly User[], jobId: string): Promise<void> {
    await this.limits.forgetPassed(recipients.map((user) => keyOf(jobId, user.id)));
  }

  /** Mails about requests contain names and addresses of users, so only those get them who can still decide. */
  private async administrators(readers: readonly User[], app: App): Promise<User[]> {
    const ids = readers.map(({ id }) => id);
    const console = await this.apps.getConsole(app.tenantId);
    const ofApp = (await this.members.among(app.id, ids)).filter(({ roles }) => roles.includes('admin'));
    const memberships = [...ofApp, ...(await this.members.among(console.id, ids))];
    const active = new Set(memberships.flatMap(({ userId, status }) => (status === 'active' ? [userId] : [])));
    return readers.filter(({ id, isActive }) => isActive && active.has(id));
  }

  private async isAllowed(
    userId: string,
    client: MailOrigin | null,
    template: LimitedNotice,
    jobId: string,
  ): Promise<boolean> {
    if (template === 'access-requests') return true;
    const { app, tenant } = client ?? {};
    const key = app && tenant ? keyInTenant(userId, tenant.id, app.id, app.isConsoleApp) : userId;
    const label = isAboutRequests(template) ? 'access_request_mail' : 'administrator_mail';
    return this.limits.passesOnce(label, key, keyOf(jobId, userId));
  }
}
