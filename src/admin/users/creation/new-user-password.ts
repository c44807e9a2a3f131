import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { PasswordRemark } from '../../../auth/credentials/password/password-policy.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { UserAlreadyExists } from '../../../users/users.errors.js';
import { UsersService } from '../../../users/users.service.js';
import { OperatorPasswords } from '../credentials/operator-passwords.js';
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
    private readonly passwords: OperatorPasswords,
    private readonly users: UsersService,
    private readonly tenants: TenantsService,
  ) {}

  /** @throws UserAlreadyExists, and what {@link OperatorPasswords.judge} throws */
  async hash(
    ctx: RequestContext,
    { password, email, display_name, is_platform_admin }: UserCreate,
    app: App | null,
  ): Promise<HashedPassword> {
    if (!password) return { passwordHash: null, remark: {} };
    const target = app && { app, tenant: await this.tenants.get(app.tenantId) };
    const becomesPlatformAdmin = is_platform_admin === true;
    const owner = { userId: null, email, displayName: display_name, becomesPlatformAdmin };
    const hash = await this.passwords.judge(ctx, password, owner, target);
    // Before the hash, which is costly, but after all that can refuse: a refusal must not tell who has an account.
    if (await this.users.findByEmail(email)) throw new UserAlreadyExists();
    return hash();
  }
}
