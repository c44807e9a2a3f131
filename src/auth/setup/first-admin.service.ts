import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordPolicyService } from '../credentials/password/password-policy.service.js';
import { FirstAdminCreation, newAdmin } from './first-admin-creation.service.js';
import { FirstAdminLinks } from './first-admin-links.service.js';

export interface FirstAdmin {
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
}

/** The first platform admin by a one-time link. */
@Injectable()
export class FirstAdminService {
  constructor(
    private readonly links: FirstAdminLinks,
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly admins: FirstAdminCreation,
  ) {}

  isUsable(token: string): Promise<boolean> {
    return this.links.isUsable(token);
  }

  /**
   * Uses up the link. The address that its holder enters counts as verified.
   * @returns the admin, or null where the link is spent, old or no longer needed
   * @throws PasswordRefused, UserAlreadyExists
   */
  async create(ctx: RequestContext, token: string, admin: FirstAdmin): Promise<User | null> {
    const { email, displayName, password } = admin;
    const remark = await this.policy.check(password, newAdmin(email, displayName), null);
    if (!(await this.links.isUsable(token))) return null;
    const passwordHash = await this.users.hashPassword(password);
    const prepared = { email, displayName, passwordHash, remark };
    return this.admins.create(ctx, prepared, (tx) => this.links.consume(tx, token));
  }
}
