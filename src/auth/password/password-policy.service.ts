import { Injectable } from '@nestjs/common';
import type { Scope } from '../../common/actor.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { judgePassword, strictestMinimum } from '../../users/password.rules.js';
import { PasswordTooShort } from '../../users/users.errors.js';

const EVERYTHING: Scope = { everything: true, tenantIds: [], appIds: [] };

/** The strictest policy among the tenants that a person belongs to and the one they are about to enter. */
@Injectable()
export class PasswordPolicyService {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
  ) {}

  /** @param userId null for an account that is being made */
  async minimum(userId: string | null, target: Tenant | null): Promise<number> {
    const enrollments = userId ? await this.enrollment.listOfUser(userId, EVERYTHING) : [];
    const ids = [...new Set(enrollments.map((each) => each.tenantId))];
    const tenants = ids.length > 0 ? await this.tenants.list({ everything: false, tenantIds: ids, appIds: [] }) : [];
    return strictestMinimum([...tenants, ...(target ? [target] : [])].map((tenant) => tenant.minPasswordLength));
  }

  /** @throws PasswordTooShort naming the length that counts */
  async check(password: string, userId: string | null, target: Tenant | null): Promise<void> {
    const minimum = await this.minimum(userId, target);
    if (judgePassword(password, minimum) !== 'ok') throw new PasswordTooShort(minimum);
  }
}
