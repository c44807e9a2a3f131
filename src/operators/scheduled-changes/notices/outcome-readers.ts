import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import { keyInTenant, keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import type { ScheduledChange } from '../planning/scheduled-change.entity.js';

/**
 * The recipients of a mail about the result of a change: its planner, or the tenant's admins if an app planned it or if
 * the planner has lost the authority.
 */
@Injectable()
export class OutcomeReaders {
  constructor(
    private readonly users: UsersService,
    private readonly members: AppMembers,
    private readonly apps: AppsService,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Must not be called in a transaction, because it asks Redis for the limit. Attempts of one job count once.
   * @param jobId for {@link done}, after the mails are written
   */
  async list(change: ScheduledChange, jobId: string): Promise<User[]> {
    if (change.plannedBy && change.result?.reason !== 'authority') return this.reachable(change.plannedBy);
    const { id } = await this.apps.getConsole(change.tenantId);
    const admins = await this.members.listRecipients(id, 'members');
    const recipients: User[] = [];
    for (const admin of await this.users.listVerified(admins.map(({ userId }) => userId)))
      if (await this.mayTell(admin, change, id, jobId)) recipients.push(admin);
    return recipients;
  }

  async done(jobId: string, recipients: readonly User[]): Promise<void> {
    await this.limits.forgetPassed(recipients.map(({ id }) => keyOf(jobId, id)));
  }

  private async reachable(userId: string): Promise<User[]> {
    return (await this.users.listVerified([userId])).filter(({ isActive }) => isActive);
  }

  /**
   * An app can plan any number of changes, whose mails go to others. They have a limit of their own, so that they do
   * not use up that of mails about new administrators.
   */
  private async mayTell(
    { id }: User,
    { tenantId, appId }: ScheduledChange,
    consoleId: string,
    jobId: string,
  ): Promise<boolean> {
    const at = appId ?? consoleId;
    const key = keyInTenant(id, tenantId, at, at === consoleId);
    return this.limits.passesOnce('scheduled_change_mail', key, keyOf(jobId, id));
  }
}
