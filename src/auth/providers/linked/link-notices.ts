import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import { message, type Text } from '../../../common/i18n/message.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PROVIDER_LABELS, type ProviderName } from '../../../config/provider-settings.js';
import { NewCredentialNotices } from '../../credentials/notices/new-credential-notices.service.js';
import { SecurityNotices } from '../../../enrollment/notices/security-notices.service.js';
import type { User } from '../../../users/user.entity.js';

/** Mails users about the identities at providers that were linked to their account, or removed from it. */
@Injectable()
export class LinkNotices {
  constructor(
    private readonly notices: SecurityNotices,
    private readonly newOnes: NewCredentialNotices,
    private readonly clock: Clock,
  ) {}

  /** @param client the app at which it was linked; null: on the account page */
  linked(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    provider: ProviderName,
    client: RegisteredClient | null,
  ): Promise<void> {
    const what = message('mail.linked_account_changed.added', { provider: PROVIDER_LABELS[provider] });
    return this.newOnes.send(tx, user.id, 'linked-account-changed', this.facts(ctx, what), client);
  }

  removed(tx: EntityManager, ctx: RequestContext, user: User, provider: ProviderName): Promise<void> {
    const what = message('mail.linked_account_changed.removed', { provider: PROVIDER_LABELS[provider] });
    return this.notices.send(tx, user.id, 'linked-account-changed', { ...this.facts(ctx, what), link: null });
  }

  private facts(ctx: RequestContext, what: Text) {
    return { what, when: this.clock.now().toUTCString(), ip: ctx.ip ?? message('mail.unknown_address') };
  }
}
