import { Injectable } from '@nestjs/common';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { type ImpactCounts, UserImpactRepository } from './user-impact.repository.js';

export interface Impact {
  readonly user: User;
  readonly counts: ImpactCounts;
  readonly tenantAdminOf: readonly { readonly id: string; readonly name: string }[];
  readonly isLastPlatformAdmin: boolean;
}

/** Counts what a deletion of the account would delete. */
@Injectable()
export class UserImpactService {
  constructor(
    private readonly users: UsersService,
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
    private readonly impacts: UserImpactRepository,
  ) {}

  /** @throws UserNotFound */
  async read(userId: string): Promise<Impact> {
    const user = await this.users.get(userId);
    const [counts, tenantAdminOf, platformAdmins] = await Promise.all([
      this.impacts.count(userId),
      this.tenantsAdministered(userId),
      this.users.countPlatformAdmins(),
    ]);
    const isLastPlatformAdmin = user.isPlatformAdmin && user.isActive && platformAdmins === 1;
    return { user, counts, tenantAdminOf, isLastPlatformAdmin };
  }

  private async tenantsAdministered(userId: string): Promise<{ id: string; name: string }[]> {
    const enrollments = await this.enrollment.listOfUser(userId, WHOLE_SCOPE);
    const held = enrollments.filter((each) => each.isConsoleApp && each.enrollment.status === 'active');
    const tenantIds = held.map((each) => each.tenantId);
    if (tenantIds.length === 0) return [];
    const tenants = await this.tenants.listByIds(tenantIds);
    return tenants.map(({ id, name }) => ({ id, name }));
  }
}
