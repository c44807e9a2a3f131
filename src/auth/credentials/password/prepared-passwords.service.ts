import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { UsersService } from '../../../users/users.service.js';
import {
  type PasswordOwner,
  PasswordPolicyService,
  type PasswordRemark,
  type PasswordTarget,
} from './password-policy.service.js';

/** A new password that can be stored: validated and hashed before any transaction. */
export interface PreparedPassword {
  readonly passwordHash: string;
  readonly remark: PasswordRemark;
}

/** Validates and hashes new passwords for existing accounts, always in this order. */
@Injectable()
export class PreparedPasswords {
  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly users: UsersService,
  ) {}

  /** @throws PasswordRefused */
  async prepare(
    ctx: RequestContext,
    password: string,
    owner: PasswordOwner,
    target: PasswordTarget | null,
  ): Promise<PreparedPassword> {
    return (await this.judge(ctx, password, owner, target))();
  }

  /**
   * Only validates it.
   * @returns a function that hashes it
   * @throws PasswordRefused
   */
  async judge(
    ctx: RequestContext,
    password: string,
    owner: PasswordOwner,
    target: PasswordTarget | null,
  ): Promise<() => Promise<PreparedPassword>> {
    const remark = await this.policy.check(password, owner, target);
    return async () => ({ passwordHash: await this.users.hashPassword(ctx, password), remark });
  }
}
