import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Transactions } from '../../../../database/transactions.js';
import { SecondFactorAlreadySet, SetupNotBegun } from '../stored/second-factor.errors.js';
import type { SecondFactor } from '../stored/second-factor.entity.js';
import { SecondFactorsRepository } from '../stored/second-factors.repository.js';
import { TotpSecrets } from '../stored/totp-secrets.js';

/** Secrets that were shown to a user and wait for the first code, one per user. */
@Injectable()
export class PendingTotpSetups {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly secrets: TotpSecrets,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @returns a new secret, which replaces an unconfirmed one
   * @throws SecondFactorAlreadySet
   */
  async begin(userId: string, within: string | null): Promise<string> {
    const { secret, sealed } = this.secrets.create(userId);
    if (!(await this.transactions.run((tx) => this.factors.begin(tx, userId, sealed, within))))
      throw new SecondFactorAlreadySet();
    return secret;
  }

  /** The secret that was begun in the same place; null if there is none. */
  async findSecret(userId: string, within: string): Promise<string | null> {
    const begun = await this.factors.findUnconfirmed(userId, within);
    return begun && this.secrets.open(userId, begun.sealedSecret);
  }

  async exists(userId: string, within: string): Promise<boolean> {
    return (await this.factors.findUnconfirmed(userId, within)) !== null;
  }

  /** @throws SecondFactorAlreadySet, SetupNotBegun */
  async get(userId: string, within: string | null): Promise<SecondFactor> {
    const factor = await this.factors.find(userId);
    if (factor?.confirmedAt) throw new SecondFactorAlreadySet();
    if (!factor || factor.begunIn !== within) throw new SetupNotBegun();
    return factor;
  }

  /** @returns the time step of the code; null if it is wrong */
  judge({ userId, sealedSecret }: SecondFactor, code: string): number | null {
    return this.secrets.judge(userId, sealedSecret, code);
  }

  /** @throws SecondFactorAlreadySet if another request was first */
  async confirm(tx: EntityManager, factor: SecondFactor, step: number): Promise<void> {
    if (!(await this.factors.confirm(tx, factor, step))) throw new SecondFactorAlreadySet();
  }
}
