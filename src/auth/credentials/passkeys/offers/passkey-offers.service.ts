import { Injectable } from '@nestjs/common';
import { Statements } from '../../../../database/statements.js';
import { RelyingParty } from '../ceremonies/relying-party.js';

const DAYS_AFTER_NO = 30;

const IS_DUE = {
  name: 'auth.passkey_offer_is_due',
  text: `SELECT NOT EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1 AND rp_id = $2)
    AND NOT EXISTS (SELECT 1 FROM passkey_offers WHERE user_id = $1 AND declined_at > now() - make_interval(days => $3))
    AS "isDue"`,
};

const DECLINE = {
  name: 'auth.decline_passkey_offer',
  text: `INSERT INTO passkey_offers (user_id) VALUES ($1)
    ON CONFLICT (user_id) DO UPDATE SET declined_at = now()`,
};

/**
 * Users to whom a passkey is offered after a sign-in with a password: those who have none, and have not said "Not now"
 * in the last month.
 */
@Injectable()
export class PasskeyOffers {
  constructor(
    private readonly statements: Statements,
    private readonly party: RelyingParty,
  ) {}

  async isDue(userId: string): Promise<boolean> {
    if (!this.party.isUsable) return false;
    const [row] = await this.statements.run<{ isDue: boolean }>(IS_DUE, [userId, this.party.id, DAYS_AFTER_NO]);
    return row!.isDue;
  }

  async decline(userId: string): Promise<void> {
    await this.statements.run(DECLINE, [userId]);
  }
}
