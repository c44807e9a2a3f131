import { Injectable } from '@nestjs/common';
import { CallerAuthorities } from '../../../auth/access/caller-authorities.service.js';
import {
  PasswordPolicyService,
  type PasswordRemark,
} from '../../../auth/credentials/password/password-policy.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { UsersService } from '../../../users/users.service.js';

/** Passwords that operators set for other users: judged by the policy, then hashed. */
@Injectable()
export class OperatorPasswords {
  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly users: UsersService,
    private readonly authorities: CallerAuthorities,
  ) {}

  /**
   * @returns hashes the password. This waits for its turn, and the operator may lose their authority meanwhile:
   *   InsufficientPermissions
   * @throws what {@link PasswordPolicyService.check} throws
   */
  async judge(
    ctx: RequestContext,
    ...[password, about, target]: Parameters<PasswordPolicyService['check']>
  ): Promise<() => Promise<{ passwordHash: string; remark: PasswordRemark }>> {
    const remark = await this.policy.check(password, about, target);
    return async () => {
      const passwordHash = await this.users.hashPassword(ctx, password);
      await this.authorities.checkUnchanged(ctx);
      return { passwordHash, remark };
    };
  }
}
