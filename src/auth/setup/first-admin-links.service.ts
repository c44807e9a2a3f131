import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { UsersService } from '../../users/users.service.js';
import { FirstAdminRepository } from './first-admin.repository.js';

const LINK_SECONDS = 7 * 24 * 3600;

/** The one-time link of the first platform admin. It is valid only while there is no platform admin. */
@Injectable()
export class FirstAdminLinks {
  constructor(
    private readonly links: FirstAdminRepository,
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
  ) {}

  /** A new token for `/setup?token=`; null if there is already an admin. Earlier links become invalid. */
  async create(): Promise<string | null> {
    if (await this.users.platformAdminExists()) return null;
    const { token, hash } = newOpaqueToken(this.randomness);
    await this.transactions.run((tx) => this.links.replace(tx, hash, LINK_SECONDS));
    return token;
  }

  async isUsable(token: string): Promise<boolean> {
    return (await this.links.isUsable(hashOpaqueToken(token))) && !(await this.users.platformAdminExists());
  }

  /** @returns false if the link is used or expired */
  consume(tx: EntityManager, token: string): Promise<boolean> {
    return this.links.consume(tx, hashOpaqueToken(token));
  }
}
