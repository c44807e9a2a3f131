import { Injectable, Logger } from '@nestjs/common';
import { momentInWords } from '../../../common/pages/time-in-words.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { OwnDeletion } from '../../account-deletion/own-deletion.service.js';
import { type Card, type CardContent, cardOf, folded } from './account-card.js';
import { AccountDevices } from '../own/account-devices.service.js';
import { AppsCard } from './apps-card.js';
import { CredentialCards } from './credential-cards.js';
import { SessionsCard } from './sessions-card.js';

/** The cards of the account page. Each is read separately: if one fails, the others are still shown. */
@Injectable()
export class AccountCards {
  private readonly logger = new Logger(AccountCards.name);

  constructor(
    private readonly sessions: SessionsCard,
    private readonly credentials: CredentialCards,
    private readonly devices: AccountDevices,
    private readonly apps: AppsCard,
    private readonly deletion: OwnDeletion,
  ) {}

  async read(
    holder: AccountHolder,
  ): Promise<Record<'secondFactor' | 'passkeys' | 'linked' | 'sessions' | 'devices' | 'apps' | 'deletion', Card>> {
    const [secondFactor, passkeys, linked, sessions, devices, apps, deletion] = await Promise.all([
      this.card(holder, () => this.credentials.secondFactor(holder)),
      this.card(holder, () => this.credentials.passkeys(holder)),
      this.card(holder, () => this.credentials.linked(holder)),
      this.card(holder, () => this.sessions.read(holder)),
      this.card(holder, () => this.devicesOf(holder)),
      this.card(holder, () => this.apps.read(holder)),
      this.card(holder, () => this.deletionOf(holder)),
    ]);
    return { secondFactor, passkeys, linked, sessions, devices, apps, deletion };
  }

  private card(holder: AccountHolder, read: () => Promise<CardContent>): Promise<Card> {
    return cardOf(read, holder.ctx.requestId, (error) =>
      this.logger.error({ request_id: holder.ctx.requestId, message: error.message, stack: error.stack }),
    );
  }

  /** Hidden if a tenant does not allow it. */
  private async deletionOf({ user: { id, deletionDueAt } }: AccountHolder): Promise<CardContent> {
    const isOffered = deletionDueAt !== null || (await this.deletion.judge(id)) !== 'not_allowed';
    return { due: deletionDueAt && momentInWords(deletionDueAt), isOffered };
  }

  private async devicesOf({ user }: AccountHolder): Promise<CardContent> {
    const rows = await this.devices.list(user.id);
    return { ...folded(rows), isEmpty: rows.length === 0 };
  }
}
