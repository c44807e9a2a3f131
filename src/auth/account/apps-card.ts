import { Injectable } from '@nestjs/common';
import { WHOLE_SCOPE } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { message } from '../../common/i18n/message.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { AccountHolder } from '../access/account-holder.service.js';
import { type CardContent, folded } from './account-card.js';

const STATUS_WORDS = {
  active: message('account.apps.active'),
  pending: message('account.apps.pending'),
  suspended: message('account.apps.suspended'),
} as const;

/** The account page's card of the apps in which the user is enrolled. */
@Injectable()
export class AppsCard {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
    private readonly clock: Clock,
  ) {}

  async read({ user }: AccountHolder): Promise<CardContent> {
    const now = this.clock.now();
    const enrollments = await this.enrollment.listOfUser(user.id, WHOLE_SCOPE);
    const tenantIds = [...new Set(enrollments.map((each) => each.tenantId))];
    const tenants = tenantIds.length ? await this.tenants.list({ everything: false, tenantIds, appIds: [] }) : [];
    const names = new Map(tenants.map((tenant) => [tenant.id, tenant.name]));
    const rows = enrollments.map(({ enrollment, appName, tenantId }) => ({
      name: appName,
      tenant: names.get(tenantId) ?? '',
      roles: enrollment.roles.join(', '),
      status: STATUS_WORDS[enrollment.status],
      isActive: enrollment.status === 'active',
      lastSignIn: enrollment.lastLoginAt && timeInWords(enrollment.lastLoginAt, now),
    }));
    return { ...folded(rows), isEmpty: rows.length === 0 };
  }
}
