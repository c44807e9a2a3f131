import { Injectable } from '@nestjs/common';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { userScope } from '../../../enrollment/users/visible-users.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';

/** The apps in which a user is enrolled, with the names of their tenants. */
@Injectable()
export class UserMemberships {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
  ) {}

  /** @param scope what the caller may see */
  async list(userId: string, scope: ReturnType<typeof userScope>) {
    const enrollments = await this.enrollment.listOfUser(userId, scope);
    const tenantIds = [...new Set(enrollments.map(({ tenantId }) => tenantId))];
    const tenants = await this.tenants.listByIds(tenantIds);
    return { enrollments, tenantNames: new Map(tenants.map((tenant) => [tenant.id, tenant.name])) };
  }
}
