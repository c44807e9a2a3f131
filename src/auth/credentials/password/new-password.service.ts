import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { User } from '../../../users/user.entity.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../../users/users.service.js';
import { MailLinksService } from '../../email-links/mail-links.service.js';
import { PasswordNotices, type PasswordSetter } from './password-notices.js';
import type { PasswordRemark } from './password-policy.service.js';

export interface NewPassword {
  readonly user: Pick<User, 'id' | 'email'>;
  /** From `UsersService.hashPassword`, after `PasswordPolicyService.check`. */
  readonly passwordHash: string;
  /** The user had no password before, and sets it themselves. */
  readonly isFirst?: boolean;
  readonly by: PasswordSetter;
  readonly remark: PasswordRemark;
  /** The notice has the branding of this app if the user is a member. */
  readonly client: RegisteredClient | null;
}

const REASONS = { reset: 'password_reset', admin: 'password_set_by_admin', owner: 'own_password' } as const;

/** The consequences of any new password: sessions and tokens end, the owner gets a mail, and the audit log an entry. */
@Injectable()
export class NewPasswordService {
  constructor(
    private readonly users: UsersService,
    private readonly signIns: ActiveGrants,
    private readonly links: MailLinksService,
    private readonly notices: PasswordNotices,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends every SSO session, refresh token and access token of the user, and open reset links; push devices too, unless
   * the user knew the previous password.
   */
  async store(tx: EntityManager, ctx: RequestContext, next: NewPassword): Promise<void> {
    const { user, client, isFirst = false } = next;
    await this.users.setPasswordHash(tx, user.id, next.passwordHash, next.by === 'admin' ? 'other' : 'owner');
    await this.signIns.revokeAllSessionsAndTokens(tx, ctx, user.id, REASONS[next.by]);
    await this.links.deleteUnused(tx, user.id, 'reset_password');
    await this.audit.record(tx, ctx, 'user.password_changed', {
      userId: user.id,
      tenantId: client?.tenant.id,
      appId: client?.app.id,
      target: { type: 'user', id: user.id },
      metadata: { by: next.by, ...(isFirst ? { first: true } : {}), ...next.remark },
    });
    await this.notices.send(tx, ctx, user.id, { by: next.by, isFirst, client });
  }
}
