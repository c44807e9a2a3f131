import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import type { App } from '../../../apps/app/app.entity.js';
import {
  PasswordPolicyService,
  type PasswordRemark,
} from '../../../auth/credentials/password/password-policy.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { UserAlreadyExists } from '../../../users/users.errors.js';
import { UsersService } from '../../../users/users.service.js';
import type { UserCreate } from './user.dto.js';

export interface HashedPassword {
  /** Null: the account has no password. */
  readonly passwordHash: string | null;
  readonly remark: PasswordRemark;
}

/** The password of a new account: judged by the policy, then hashed. */
@Injectable()
export class NewUserPassword {
  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly users: UsersService,
    private readonly tenants: TenantsService,
  ) {}

  /** @throws PasswordRefused, UserAlreadyExists (before the hash, which is costly) */
  async hash(
    ctx: RequestContext,
    { password, email, display_name, is_platform_admin }: UserCreate,
    app: App | null,
  ): Promise<HashedPassword> {
    if (!password) return { passwordHash: null, remark: {} };
    const target = app && { app, tenant: await this.tenants.get(app.tenantId) };
    const remark = await this.policy.check(
      password,
      { userId: null, email, displayName: display_name, becomesPlatformAdmin: is_platform_admin === true },
      target,
    );
    if (await this.users.findByEmail(email)) throw new UserAlreadyExists();
    return { passwordHash: await this.users.hashPassword(ctx, password), remark };
  }
}
