import { Injectable } from '@nestjs/common';
import type { AccountHolder } from '../../access/account-holder.service.js';
import type { CardContent } from './account-card.js';
import { LinkedAccountsCard } from './linked-accounts-card.js';
import { PasskeysCard } from './passkeys-card.js';
import { SecondFactorCard } from './second-factor-card.js';

/** The cards of sign-in methods other than the password. */
@Injectable()
export class CredentialCards {
  constructor(
    private readonly secondFactorCard: SecondFactorCard,
    private readonly passkeysCard: PasskeysCard,
    private readonly linkedCard: LinkedAccountsCard,
  ) {}

  secondFactor(holder: AccountHolder): Promise<CardContent> {
    return this.secondFactorCard.read(holder);
  }

  passkeys(holder: AccountHolder): Promise<CardContent> {
    return this.passkeysCard.read(holder);
  }

  linked(holder: AccountHolder): Promise<CardContent> {
    return this.linkedCard.read(holder);
  }
}
