import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordPolicyService } from '../credentials/password/password-policy.service.js';
import { FirstAdminCreation, newAdmin } from './first-admin-creation.service.js';
import { FirstAdminSignIn } from './first-admin-sign-in.service.js';
import { FirstAdminLinks } from './first-admin-links.service.js';

export interface FirstAdmin {
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
}

/** Creates the first platform admin by a one-time link. */
@Injectable()
export class FirstAdminService {
  constructor(
    private readonly links: FirstAdminLinks,
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly admins: FirstAdminCreation,
    private readonly signIns: FirstAdminSignIn,
  ) {}

  isUsable(token: string): Promise<boolean> {
    return this.links.isUsable(token);
  }

  /**
   * Uses up the link. The address that the user enters counts as verified, and the user is signed in with the new
   * password.
   * @param presented value of the SSO cookie of the request; its session is replaced
   * @returns the value of the new cookie for `SsoSessionsService.send`; null if the link is used, expired or no longer
   * needed
   * @throws PasswordRefused, UserAlreadyExists
   */
  async create(
    ctx: RequestContext,
    token: string,
    admin: FirstAdmin,
    presented: string | null,
  ): Promise<string | null> {
    const { email, displayName, password } = admin;
    // First: the check asks the service for breached passwords.
    if (!(await this.links.isUsable(token))) return null;
    const remark = await this.policy.check(password, newAdmin(email, displayName), null);
    const passwordHash = await this.users.hashPassword(ctx, password);
    const prepared = { email, displayName, passwordHash, remark };
    return this.admins.create(
      ctx,
      prepared,
      (tx) => this.links.consume(tx, token),
      (tx, user) => this.signIns.begin(tx, ctx, user, presented),
    );
  }
}
