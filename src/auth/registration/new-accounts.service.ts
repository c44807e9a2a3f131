import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { type NewUser, UsersService } from '../../users/users.service.js';

/** Where an account comes from: the actor who creates it, the app, and additional metadata for the audit entry. */
export interface AccountOrigin {
  /** The context of the request that creates the account. Users who create their own account are its actor from then on. */
  readonly as: (user: User) => RequestContext;
  /** Null: at no app. */
  readonly app: { readonly id: string; readonly tenantId: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Creates accounts, each with its audit entry. */
@Injectable()
export class NewAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly audit: AuditService,
  ) {}

  /** @throws UserAlreadyExists */
  async create(tx: EntityManager, account: NewUser, { as, app, metadata }: AccountOrigin): Promise<User> {
    const user = await this.users.create(tx, account);
    await this.audit.record(tx, as(user), 'user.created', {
      userId: user.id,
      tenantId: app?.tenantId,
      appId: app?.id,
      target: { type: 'user', id: user.id },
      metadata,
    });
    return user;
  }

  /**
   * Verifies the address, because an invite that was mailed to it has proven it.
   * @returns the user afterwards
   */
  async acceptAddress(tx: EntityManager, asUser: RequestContext, user: User): Promise<User> {
    await this.users.verifyEmail(tx, user.id, user.emailCanonical);
    await this.audit.record(tx, asUser, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by: 'invite' },
    });
    return this.users.get(user.id, tx);
  }
}
