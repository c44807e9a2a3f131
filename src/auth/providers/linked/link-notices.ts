import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/app-directory.js';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PROVIDER_LABELS, type ProviderName } from '../../../config/provider-settings.js';
import { SecurityNotices } from '../../../enrollment/security-notices.service.js';
import type { User } from '../../../users/user.entity.js';

/** Mails to users about the accounts at providers that are linked to theirs. */
@Injectable()
export class LinkNotices {
  constructor(
    private readonly notices: SecurityNotices,
    private readonly clock: Clock,
  ) {}

  /** @param client the app on whose behalf it was linked; null: on the account page */
  linked(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    provider: ProviderName,
    client: RegisteredClient | null,
  ): Promise<void> {
    const what = `${withArticle(provider)} account can now be used to sign in to your account.`;
    return this.send(tx, ctx, user, what, client);
  }

  removed(tx: EntityManager, ctx: RequestContext, user: User, provider: ProviderName): Promise<void> {
    const what = `${withArticle(provider)} account can no longer be used to sign in to your account.`;
    return this.send(tx, ctx, user, what, null);
  }

  private send(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    what: string,
    client: RegisteredClient | null,
  ): Promise<void> {
    const model = { what, when: this.clock.now().toUTCString(), ip: ctx.ip ?? 'an unknown address' };
    return this.notices.send(tx, user.id, 'linked-account-changed', model, client);
  }
}

function withArticle(provider: ProviderName): string {
  return `${provider === 'apple' ? 'An' : 'A'} ${PROVIDER_LABELS[provider]}`;
}
