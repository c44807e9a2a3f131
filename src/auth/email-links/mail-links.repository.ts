import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { SecretBox } from '../../crypto/secret-box.js';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { aadOfCarriedCode, openCarriedCode, sealCarriedCode } from '../../invites/redemption/carried-code.js';
import { MailLink, type MailLinkPurpose } from './mail-link.entity.js';

export type NewMailLink = Pick<MailLink, 'tokenHash' | 'purpose' | 'userId' | 'appId' | 'emailCanonical' | 'request'>;

@Injectable()
export class MailLinksRepository {
  constructor(
    @InjectRepository(MailLink) private readonly links: Repository<MailLink>,
    private readonly box: SecretBox,
    private readonly statements: Statements,
  ) {}

  /**
   * Only the newest link of a user and purpose is valid. Earlier ones are revoked, but stay stored until a day after
   * they expire. The user is locked first, so that of two that are made at the same time one revokes the other.
   * @param seconds lifetime of the link
   */
  async replace(tx: EntityManager, link: NewMailLink, seconds: number): Promise<void> {
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [link.userId]);
    await tx.query('UPDATE mail_links SET used_at = now() WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL', [
      link.userId,
      link.purpose,
    ]);
    await tx.query(
      `INSERT INTO mail_links (token_hash, purpose, user_id, credentials_version, app_id, email_canonical, request, expires_at)
       SELECT $1, $2, id, credentials_version, $4, $5, $6, now() + make_interval(secs => $7) FROM users WHERE id = $3`,
      [
        link.tokenHash,
        link.purpose,
        link.userId,
        link.appId,
        link.emailCanonical,
        link.request && JSON.stringify(sealCarriedCode(this.box, link.request, rowOf(link))),
        seconds,
      ],
    );
  }

  /** Finds a link even if it is used or expired, to know what it was for. */
  async find(tokenHash: Buffer, purpose: MailLinkPurpose): Promise<MailLink | null> {
    return this.opened(await this.links.findOneBy({ tokenHash, purpose }));
  }

  /** Whether the link is neither used nor expired. Does not use it up. */
  isUsable(tokenHash: Buffer, purpose: MailLinkPurpose): Promise<boolean> {
    return this.links
      .createQueryBuilder('link')
      .where(
        'link.tokenHash = :tokenHash AND link.purpose = :purpose AND link.usedAt IS NULL AND link.expiresAt > now()',
        { tokenHash, purpose },
      )
      .getExists();
  }

  /**
   * Uses up the link. The database decides by its clock, and only one of several concurrent requests succeeds.
   * @returns null if the link is unknown, used or expired
   */
  async consume(tx: EntityManager, tokenHash: Buffer, purpose: MailLinkPurpose): Promise<MailLink | null> {
    const result = await tx
      .createQueryBuilder()
      .update(MailLink)
      .set({ usedAt: () => 'now()' })
      .where('tokenHash = :tokenHash AND purpose = :purpose AND usedAt IS NULL AND expiresAt > now()', {
        tokenHash,
        purpose,
      })
      .execute();
    return result.affected ? this.opened(await tx.getRepository(MailLink).findOneBy({ tokenHash })) : null;
  }

  async deleteUnused(tx: EntityManager, userId: string, purpose: MailLinkPurpose): Promise<void> {
    await tx.query('DELETE FROM mail_links WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL', [userId, purpose]);
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'mail_links');
  }

  private opened(link: MailLink | null): MailLink | null {
    return link?.request ? { ...link, request: openCarriedCode(this.box, link.request, rowOf(link)) } : link;
  }
}

function rowOf({ tokenHash }: Pick<MailLink, 'tokenHash'>): string {
  return aadOfCarriedCode.mailLink(tokenHash.toString('hex'));
}
