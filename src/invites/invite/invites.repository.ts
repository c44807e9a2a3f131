import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository, type SelectQueryBuilder } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { Invite } from './invite.entity.js';
import { type Invitee, type InviteStatus, inviteStatus } from './invite.rules.js';

/** An invite with its state by the database's clock. */
export interface InviteWithStatus {
  readonly invite: Invite;
  readonly status: InviteStatus;
  /** Seconds until it expires; negative after that. */
  readonly secondsLeft: number;
}

export type NewInvite = Pick<
  Invite,
  | 'id'
  | 'appId'
  | 'codeHash'
  | 'codeSealed'
  | 'mailedCodeHash'
  | 'roles'
  | 'maxUses'
  | 'email'
  | 'emailCanonical'
  | 'madeActingBy'
  | 'madeByUser'
> & { readonly createdBy: string | null };

/** How long an invite is kept after its end, for operators. */
const KEPT = '90 days';

@Injectable()
export class InvitesRepository {
  constructor(
    @InjectRepository(Invite) private readonly invites: Repository<Invite>,
    private readonly statements: Statements,
  ) {}

  async insert(tx: EntityManager, invite: NewInvite, seconds: number): Promise<InviteWithStatus> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(Invite)
      .values({ ...invite, expiresAt: () => 'now() + make_interval(secs => :seconds)' })
      .setParameter('seconds', seconds)
      .execute();
    return (await this.find(invite.id, tx))!;
  }

  async find(id: string, tx?: EntityManager): Promise<InviteWithStatus | null> {
    return one(await read(this.query(tx).where('invite.id = :id', { id })));
  }

  /** Locks the invite until the transaction ends, so that redeeming, revoking and resending wait for each other. */
  async findForUpdate(tx: EntityManager, id: string): Promise<InviteWithStatus | null> {
    await tx.query('SELECT 1 FROM invites WHERE id = $1 FOR UPDATE', [id]);
    return this.find(id, tx);
  }

  /** Finds an invite by either of its codes. */
  async findByCode(codeHash: Buffer, tx?: EntityManager): Promise<InviteWithStatus | null> {
    const byCode = '(invite.codeHash = :codeHash OR invite.mailedCodeHash = :codeHash)';
    return one(await read(this.query(tx).where(byCode, { codeHash })));
  }

  /** In no particular order. */
  async listByIds(ids: readonly string[]): Promise<InviteWithStatus[]> {
    return ids.length === 0 ? [] : read(this.query().where('invite.id = ANY(:ids)', { ids }));
  }

  /** Newest first. @param onlyForUsers leaves out invites for other roles than `user` */
  async list(
    appId: string,
    onlyForUsers: boolean,
    page: { limit: number; page: number },
  ): Promise<{ invites: InviteWithStatus[]; total: number }> {
    const query = this.query().where('invite.appId = :appId', { appId });
    if (onlyForUsers) query.andWhere(`invite.roles <@ ARRAY['user']`);
    const total = await query.getCount();
    query.orderBy('invite.createdAt', 'DESC').addOrderBy('invite.id', 'DESC');
    return { invites: await read(query.limit(page.limit).offset((page.page - 1) * page.limit)), total };
  }

  /**
   * Takes one use. The database and its clock decide: of any number of concurrent calls, exactly `max_uses` succeed.
   * @param user who redeems it; does not match an invite that they cannot use (`barOf`)
   */
  async take(tx: EntityManager, codeHash: Buffer, appId: string, user: Invitee): Promise<Invite | null> {
    const [rows] = (await tx.query(
      `UPDATE invites SET use_count = use_count + 1
       WHERE (code_hash = $1 OR mailed_code_hash = $1) AND app_id = $2
         AND (email_canonical IS NULL OR email_canonical = $3)
         AND made_acting_by IS DISTINCT FROM $4::uuid
         AND use_count < max_uses AND expires_at > now()
       RETURNING id`,
      [codeHash, appId, user.emailCanonical, user.id],
    )) as [{ id: string }[], number];
    return rows[0] ? tx.getRepository(Invite).findOneByOrFail({ id: rows[0].id }) : null;
  }

  /** Reverses {@link take}, in the same transaction, which still has the row's lock. */
  async giveBack(tx: EntityManager, id: string): Promise<void> {
    await tx.query('UPDATE invites SET use_count = use_count - 1 WHERE id = $1', [id]);
  }

  /** @returns whether a use was left */
  async exhaust(tx: EntityManager, id: string): Promise<boolean> {
    const [, count] = (await tx.query(
      'UPDATE invites SET max_uses = use_count WHERE id = $1 AND use_count < max_uses',
      [id],
    )) as [unknown, number];
    return count > 0;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'invites', KEPT);
  }

  private query(tx?: EntityManager): SelectQueryBuilder<Invite> {
    return (tx?.getRepository(Invite) ?? this.invites)
      .createQueryBuilder('invite')
      .addSelect('extract(epoch FROM invite.expires_at - now())::float8', 'seconds_left');
  }
}

async function read(query: SelectQueryBuilder<Invite>): Promise<InviteWithStatus[]> {
  const { entities, raw } = await query.getRawAndEntities<{ seconds_left: number }>();
  return entities.map((invite, index) => {
    const secondsLeft = raw[index]!.seconds_left;
    return { invite, secondsLeft, status: inviteStatus({ ...invite, isExpired: secondsLeft <= 0 }) };
  });
}

function one(found: InviteWithStatus[]): InviteWithStatus | null {
  return found[0] ?? null;
}
