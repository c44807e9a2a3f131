import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { readEmail } from '../../common/validation/email.rules.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { AccountRemoval } from '../account-removal/account-removal.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { EmailTaken } from './stored/email-change.errors.js';

const PURPOSES = ['magic_link', 'reset_password', 'verify_email'] as const;

/**
 * Gives an account another address, which its owner has proven. Unused links that were mailed to the previous address
 * are deleted.
 */
@Injectable()
export class MovedAddress {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly removal: AccountRemoval,
  ) {}

  /**
   * Locks the user's row until the transaction ends.
   * @throws UserNotFound
   */
  lock(tx: EntityManager, userId: string): Promise<User> {
    return this.users.getForUpdate(tx, userId);
  }

  async isAt(userId: string, email: string, tx?: EntityManager): Promise<boolean> {
    return (await this.users.find(userId, tx))?.email === email;
  }

  /** @throws UserAlreadyExists, decided by the unique constraint */
  async move(tx: EntityManager, userId: string, email: string): Promise<void> {
    await this.users.changeEmail(tx, userId, email);
    for (const purpose of PURPOSES) await this.links.deleteUnused(tx, userId, purpose);
  }

  /**
   * Restores a previous address. If another account has been created with that address in the meantime and has not
   * verified it, that account is deleted, as by "No, remove this account" after a verification mail: otherwise an attacker
   * could keep this account by creating a second one with the old address.
   * @throws EmailTaken if the other account is verified or belongs to a platform admin
   */
  async moveBack(tx: EntityManager, ctx: RequestContext, userId: string, email: string): Promise<void> {
    const other = await this.users.findByEmail(readEmail(email)!.canonical, tx);
    if (other && other.id !== userId) await this.removeUnproven(tx, ctx, other.id);
    await this.move(tx, userId, email);
  }

  private async removeUnproven(tx: EntityManager, ctx: RequestContext, userId: string): Promise<void> {
    const locked = await this.users.getForUpdate(tx, userId);
    if (!(await this.removal.removeUnproven(tx, ctx, locked))) throw new EmailTaken();
  }
}
