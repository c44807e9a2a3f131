import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { PROVIDER_LABELS, PROVIDERS } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { LinkedAccountsService } from '../../providers/linked/linked-accounts.service.js';
import { type CardContent, folded } from './account-card.js';

/** The account page's card of linked accounts, and of the providers that can still be linked. */
@Injectable()
export class LinkedAccountsCard {
  constructor(
    private readonly linked: LinkedAccountsService,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async read({ user }: AccountHolder): Promise<CardContent> {
    const now = this.clock.now();
    const accounts = await this.linked.listOf(user.id);
    const rows = accounts.map((account) => ({
      id: account.id,
      label: PROVIDER_LABELS[account.provider],
      mark: `mark-${account.provider}`,
      email: account.email ?? '',
      since: timeInWords(account.linkedAt, now),
    }));
    const linkable = PROVIDERS.filter((name) => this.settings.providers[name] !== null)
      .filter((name) => !accounts.some((account) => account.provider === name))
      .map((name) => ({ label: PROVIDER_LABELS[name], mark: `mark-${name}`, href: `/oauth/${name}/start?link=1` }));
    return { ...folded(rows), isEmpty: rows.length === 0, linkable, isOffered: linkable.length > 0 };
  }
}
