import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { cleanDisplayName } from '../../users/display-name.rules.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { actingAs } from '../entry/sign-in-completion.service.js';
import type { ExternalIdentity } from './linked/external-identity.js';
import { LinkedAccountsService } from './linked/linked-accounts.service.js';

/** Accounts without a password, which an identity at a provider opens. */
@Injectable()
export class PasswordlessAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly linked: LinkedAccountsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * @param identity one with an address
   * @throws UserAlreadyExists, LinkedElsewhere
   */
  async create(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    identity: ExternalIdentity,
    by: 'sign_up' | 'invite',
    displayName: string | null,
  ): Promise<User> {
    const user = await this.users.create(tx, {
      email: identity.email!,
      displayName: cleanDisplayName(displayName) ?? identity.displayName ?? '',
      passwordHash: null,
      emailVerified: identity.emailVerified,
      isPlatformAdmin: false,
    });
    const asUser = actingAs(ctx, user, client);
    await this.audit.record(tx, asUser, 'user.created', {
      userId: user.id,
      tenantId: client.app.tenantId,
      appId: client.app.id,
      target: { type: 'user', id: user.id },
      metadata: { by, provider: identity.provider, email_verified: identity.emailVerified },
    });
    await this.linked.link(tx, asUser, user, identity, by, client);
    return user;
  }

  /** An invite that was mailed to the address has proven it. */
  async verifyEmail(tx: EntityManager, asUser: RequestContext, user: User): Promise<User> {
    await this.users.verifyEmail(tx, user.id, user.emailCanonical);
    await this.audit.record(tx, asUser, 'user.email_verified', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { by: 'invite' },
    });
    return this.users.get(user.id, tx);
  }
}
