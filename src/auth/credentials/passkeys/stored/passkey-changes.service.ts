import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../../audit/audit.service.js';
import { Clock } from '../../../../common/clock.js';
import { message, type Text } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { SecurityNotices } from '../../../../enrollment/notices/security-notices.service.js';
import { NewCredentialNotices } from '../../notices/new-credential-notices.service.js';
import { AuthenticatorModels } from './authenticator-models.js';
import type { Passkey } from './passkey.entity.js';

/** `recovery`: the owner has lost them. */
export type RemovedBy = 'owner' | 'admin' | 'mailbox' | 'recovery';

/** Records a change of a user's passkeys in the audit log, and notifies the user by mail. */
@Injectable()
export class PasskeyChanges {
  constructor(
    private readonly audit: AuditService,
    private readonly notices: SecurityNotices,
    private readonly newOnes: NewCredentialNotices,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  async added(
    tx: EntityManager,
    ctx: RequestContext,
    { id, userId, aaguid, isSynced }: Omit<Passkey, 'createdAt' | 'lastUsedAt'>,
  ): Promise<void> {
    const model = this.models.nameOf(aaguid);
    const what = model ? message('mail.passkey_changed.added_model', { model }) : message('mail.passkey_changed.added');
    const metadata = { aaguid, synced: isSynced };
    await this.audit.record(tx, ctx, 'passkey.added', { userId, target: { type: 'passkey', id }, metadata });
    await this.newOnes.send(tx, userId, 'passkey-changed', this.facts(ctx, what));
  }

  /** Sends no mail: the address of a new account gets a verification mail. */
  async addedAtSignUp(
    tx: EntityManager,
    ctx: RequestContext,
    { id, userId, aaguid, isSynced }: Pick<Passkey, 'id' | 'userId' | 'aaguid' | 'isSynced'>,
  ): Promise<void> {
    const metadata = { aaguid, synced: isSynced, by: 'sign_up' };
    await this.audit.record(tx, ctx, 'passkey.added', { userId, target: { type: 'passkey', id }, metadata });
  }

  /** Sends no mail, because a name does not affect access. */
  async renamed(tx: EntityManager, ctx: RequestContext, { id, userId }: Passkey): Promise<void> {
    await this.audit.record(tx, ctx, 'passkey.renamed', { userId, target: { type: 'passkey', id } });
  }

  async removed(tx: EntityManager, ctx: RequestContext, passkey: Passkey, by: RemovedBy): Promise<void> {
    const what =
      by === 'admin' ? message('mail.passkey_changed.removed_by_admin') : message('mail.passkey_changed.removed');
    const { id, userId, aaguid, isSynced } = passkey;
    const metadata = { aaguid, synced: isSynced, ...(by === 'owner' ? {} : { by }) };
    await this.audit.record(tx, ctx, 'passkey.removed', { userId, target: { type: 'passkey', id }, metadata });
    await this.notices.send(tx, userId, 'passkey-changed', { ...this.facts(ctx, what, by), link: null });
  }

  /**
   * A refused use, because the authenticator may have been copied. The audit entry remains if the transaction is rolled
   * back.
   */
  async refused(ctx: RequestContext, { id, userId, signCount }: Passkey, received: number): Promise<void> {
    await this.audit.recordAlone(ctx, 'passkey.refused', {
      userId,
      target: { type: 'passkey', id },
      outcome: 'failure',
      metadata: { reason: 'counter', stored: Number(signCount), received },
    });
  }

  /** An administrator's address is only in the audit log. */
  private facts(ctx: RequestContext, what: Text, by: RemovedBy = 'owner') {
    const ip = by === 'admin' ? message('mail.admin_console') : (ctx.ip ?? message('mail.unknown_address'));
    return { what, when: this.clock.now().toUTCString(), ip };
  }
}
