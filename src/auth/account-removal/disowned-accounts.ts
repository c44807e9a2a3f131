import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { KeptSuspensions } from '../../enrollment/memberships/kept-suspensions.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { AccountDeletionsRepository } from '../account-deletion/account-deletions.repository.js';
import { AccountRemoval } from './account-removal.js';

/**
 * `suspended`, `switched_off`: deleted, and a new account with the address is so. `kept`: the account belongs to a
 * platform admin.
 */
export type Disowned = 'deleted' | 'suspended' | 'switched_off' | 'kept';

/**
 * Accounts that the owner of the address rejects with "No, remove this account". Suspensions outlive the account, except
 * those in Console apps: the suspended user, who may be the owner of the mailbox, could join again (docs/decisions/0081).
 */
@Injectable()
export class DisownedAccounts {
  constructor(
    private readonly removal: AccountRemoval,
    private readonly deletions: AccountDeletionsRepository,
    private readonly users: UsersService,
    private readonly suspensions: KeptSuspensions,
    private readonly audit: AuditService,
  ) {}

  /** @param user locked, and not verified */
  async disown(tx: EntityManager, ctx: RequestContext, user: User): Promise<Disowned> {
    const suspendedIn = await this.deletions.lockSuspensions(tx, user.id);
    if (!(await this.removal.removeUnproven(tx, ctx, user))) return 'kept';
    if (user.isActive && suspendedIn.length === 0) return 'deleted';
    const { id } = await this.users.create(tx, { ...bareAccount(user.email), isActive: user.isActive });
    const target = { type: 'user', id };
    await this.audit.record(tx, ctx, 'user.created', { userId: id, target, metadata: { by: 'address_owner' } });
    await this.suspensions.add(tx, ctx, id, suspendedIn);
    return user.isActive ? 'suspended' : 'switched_off';
  }
}

/** Contains nothing of the deleted account except the address. A proof of the mailbox is the only way into it. */
function bareAccount(email: string) {
  return {
    email,
    displayName: '',
    passwordHash: null,
    emailVerified: false,
    isPlatformAdmin: false,
    setBy: 'other',
  } as const;
}
