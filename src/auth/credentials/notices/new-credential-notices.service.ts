import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message } from '../../../common/i18n/message.js';
import { Randomness } from '../../../common/randomness.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import type { MailOrigin } from '../../../enrollment/notices/account-mails.js';
import { SecurityNotices } from '../../../enrollment/notices/security-notices.service.js';
import type { ChangedCredential } from '../../../mail/content/mail.js';
import type { CredentialNotice } from './credential-notice.entity.js';
import { CredentialNoticesRepository } from './credential-notices.repository.js';
import { STOP_DAYS, STOP_SECONDS } from './stop-window.rules.js';

/** Page of the link. It removes nothing by itself, because mail scanners follow links. */
const STOP_PATH = '/new-credential';

/** Mails about new sign-in methods, with a link to undo them. Everything that adds one calls this. */
@Injectable()
export class NewCredentialNotices {
  constructor(
    private readonly stoppable: CredentialNoticesRepository,
    private readonly notices: SecurityNotices,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Called in the transaction that adds it. @param client see `SecurityNotices.send` */
  async send(
    tx: EntityManager,
    userId: string,
    template: 'passkey-changed' | 'second-factor-changed' | 'linked-account-changed',
    facts: Omit<ChangedCredential, 'link'>,
    client: MailOrigin | null = null,
  ): Promise<void> {
    const { token, hash } = newOpaqueToken(this.randomness);
    const recipient = await this.stoppable.add(tx, userId, hash, STOP_SECONDS);
    if (!recipient) return;
    const link = `${this.settings.baseUrl}${STOP_PATH}?token=${token}`;
    const to = { email: recipient.email, holdsFor: message('common.wait.days', { count: STOP_DAYS }) };
    await this.notices.send(tx, userId, template, { ...facts, link }, client, to);
    if (!recipient.isCurrent) await this.notices.send(tx, userId, template, { ...facts, link: null }, client);
  }

  /** The notice of a link, without doing anything; null if it is used or expired. */
  find(token: string, tx?: EntityManager): Promise<CredentialNotice | null> {
    return this.stoppable.find(hashOpaqueToken(token), tx);
  }

  /** Invalidates all links of this account: their methods are removed, or remain permanently. */
  voidAll(tx: EntityManager, userId: string): Promise<void> {
    return this.stoppable.deleteOf(tx, userId);
  }
}
