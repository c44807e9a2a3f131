import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { ENDED_AT, ENDS_AT } from './issued-at.js';
import { User } from './user.entity.js';

/** A platform admin; at least one must always exist. */
export interface PlatformAdmin {
  readonly id: string;
  readonly email: string;
  readonly isActive: boolean;
}

/**
 * Creator of an account or of its password: the user (`owner`), or an administrator, a server, an import or a
 * provider.
 */
export type CredentialSetter = 'owner' | 'other';

/** The result of the first verification of an address. */
export interface FirstVerification {
  /** Whether the password was removed, because it was not known to be set by the user. */
  readonly passwordRemoved: boolean;
}

/** Named like the columns. */
export interface NewUserRow {
  readonly id: string;
  readonly email: string;
  readonly email_canonical: string;
  readonly display_name: string;
  readonly email_verified: boolean;
  readonly password_hash: string | null;
}

const INSERT_MISSING = `
  INSERT INTO users (id, email, email_canonical, display_name, email_verified, password_hash)
  SELECT id, email, email_canonical, display_name, email_verified, password_hash
  FROM json_to_recordset($1) AS row(id uuid, email text, email_canonical text, display_name text,
                                    email_verified boolean, password_hash text)
  ON CONFLICT ON CONSTRAINT uq_users_email DO NOTHING
  RETURNING email_canonical`;

/** The password after the first verification: removed unless the owner set it, because another person may know it. */
const OWN_PASSWORD = 'CASE WHEN u.password_by_owner THEN u.password_hash END';

@Injectable()
export class UsersRepository {
  constructor(@InjectRepository(User) private readonly repository: Repository<User>) {}

  /** Those of the users who have verified their address, ordered by id. */
  listVerified(ids: readonly string[], tx?: EntityManager): Promise<User[]> {
    const users = tx?.getRepository(User) ?? this.repository;
    return users.find({ where: { id: In([...ids]), emailVerified: true }, order: { id: 'ASC' } });
  }

  find(id: string, tx?: EntityManager): Promise<User | null> {
    return (tx?.getRepository(User) ?? this.repository).findOneBy({ id });
  }

  /** @param emailCanonical see `readEmail` */
  findByEmail(emailCanonical: string, tx?: EntityManager): Promise<User | null> {
    return (tx?.getRepository(User) ?? this.repository).findOneBy({ emailCanonical });
  }

  /** Those of the canonical addresses that have an account. */
  findByEmails(emailsCanonical: readonly string[], tx?: EntityManager): Promise<User[]> {
    return (tx?.getRepository(User) ?? this.repository)
      .createQueryBuilder('user')
      .where('user.emailCanonical = ANY(:emailsCanonical)', { emailsCanonical })
      .getMany();
  }

  /**
   * Inserts all in one statement, without addresses that have an account in the meantime.
   * @returns the inserted canonical addresses
   */
  async insertMissing(tx: EntityManager, rows: readonly NewUserRow[]): Promise<string[]> {
    const made = await tx.query<{ email_canonical: string }[]>(INSERT_MISSING, [JSON.stringify(rows)]);
    return made.map((row) => row.email_canonical);
  }

  async insert(tx: EntityManager, user: User): Promise<User> {
    await tx.insert(User, user);
    return tx.getRepository(User).findOneByOrFail({ id: user.id });
  }

  /** If someone else sets the password, the account no longer counts as its owner's alone. */
  async setPasswordHash(tx: EntityManager, id: string, passwordHash: string, setBy: CredentialSetter): Promise<void> {
    const owned = setBy === 'owner' ? { passwordByOwner: true } : { passwordByOwner: false, madeByOwner: false };
    await tx.update(User, { id }, { passwordHash, ...owned, updatedAt: () => 'now()' });
  }

  /**
   * Replaces a hash by one of a higher cost, unless the account was changed in the meantime.
   * @returns the new version of the account's credentials, or null if it was changed
   */
  async replaceHash({ id, credentialsVersion }: User, old: string, fresh: string): Promise<number | null> {
    const [rows] = (await this.repository.query(
      `UPDATE users SET password_hash = $4 WHERE id = $1 AND credentials_version = $2 AND password_hash = $3
       RETURNING credentials_version`,
      [id, credentialsVersion, old, fresh],
    )) as [{ credentials_version: number }[], number];
    return rows[0]?.credentials_version ?? null;
  }

  /** Until the transaction ends, nothing is issued to this user, and none of their data is changed. */
  async lock(tx: EntityManager, id: string): Promise<void> {
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }

  /**
   * Ends everything that began before: sessions, refresh token families, access tokens. Locked first, by a separate
   * statement: the time must be read after a running sign-in has finished, and an UPDATE reads it before it waits.
   */
  async revokeAllSessionsAndTokens(tx: EntityManager, id: string): Promise<void> {
    await this.lock(tx, id);
    await tx.update(User, { id }, { tokensValidFrom: () => ENDS_AT, updatedAt: () => 'now()' });
  }

  /** Unfinished sign-ins must start again; sessions and tokens remain valid. */
  async voidProofs(tx: EntityManager, id: string): Promise<void> {
    await tx.update(User, { id }, { credentialsVersion: () => 'credentials_version + 1' });
  }

  /**
   * As {@link voidProofs}, and voids the user's scheduled changes. Locked first, as in
   * {@link revokeAllSessionsAndTokens}.
   */
  async voidPlans(tx: EntityManager, id: string): Promise<void> {
    await this.lock(tx, id);
    await tx.update(
      User,
      { id },
      { credentialsVersion: () => 'credentials_version + 1', plansValidFrom: () => ENDED_AT },
    );
  }

  /**
   * The only place where an account becomes verified, except for {@link changeEmail}.
   * @returns null if it was already verified, or the address is no longer the account's
   */
  async verifyEmail(tx: EntityManager, id: string, emailCanonical: string): Promise<FirstVerification | null> {
    const [rows] = (await tx.query(
      `UPDATE users u SET email_verified = true, password_hash = ${OWN_PASSWORD}, updated_at = now()
       FROM (SELECT id, password_hash FROM users WHERE id = $1 FOR NO KEY UPDATE) before
       WHERE u.id = before.id AND u.email_canonical = $2 AND NOT u.email_verified
       RETURNING before.password_hash IS NOT NULL AND u.password_hash IS NULL AS "passwordRemoved"`,
      [id, emailCanonical],
    )) as [FirstVerification[], number];
    return rows[0] ?? null;
  }

  /**
   * Sets a new version of the credentials, so that proofs under the old address are void. For an account that was not
   * verified, this is the first verification, as in {@link verifyEmail}.
   */
  async changeEmail(
    tx: EntityManager,
    id: string,
    { email, emailCanonical }: Pick<User, 'email' | 'emailCanonical'>,
  ): Promise<void> {
    await tx.query(
      `UPDATE users u SET email = $2, email_canonical = $3, email_verified = true,
         password_hash = CASE WHEN u.email_verified THEN u.password_hash ELSE ${OWN_PASSWORD} END,
         credentials_version = credentials_version + 1, updated_at = now()
       WHERE id = $1`,
      [id, email, emailCanonical],
    );
  }

  async updateProfile(
    tx: EntityManager,
    id: string,
    { displayName, locale }: Pick<User, 'displayName' | 'locale'>,
  ): Promise<void> {
    await tx.update(User, { id }, { displayName, locale, updatedAt: () => 'now()' });
  }

  async clearPassword(tx: EntityManager, id: string): Promise<void> {
    await tx.query('UPDATE users SET password_hash = NULL, updated_at = now() WHERE id = $1', [id]);
  }

  async delete(tx: EntityManager, id: string): Promise<void> {
    await tx.delete(User, { id });
  }

  async touchLogin(tx: EntityManager, id: string): Promise<void> {
    await tx.query('UPDATE users SET last_login_at = now() WHERE id = $1', [id]);
  }

  findForUpdate(tx: EntityManager, id: string): Promise<User | null> {
    return tx.getRepository(User).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * All platform admins, locked until the transaction ends, in a fixed order. A transaction that waited here sees the
   * rows after the wait, without users who were demoted in the meantime.
   */
  lockPlatformAdmins(tx: EntityManager): Promise<PlatformAdmin[]> {
    return tx.query(
      `SELECT id, email, is_active AS "isActive" FROM users WHERE is_platform_admin ORDER BY id FOR NO KEY UPDATE`,
    );
  }

  /** Not locked: only for checks in advance and previews. */
  listPlatformAdmins(): Promise<PlatformAdmin[]> {
    return this.repository.find({
      where: { isPlatformAdmin: true },
      select: { id: true, email: true, isActive: true },
    });
  }

  countPlatformAdmins(): Promise<number> {
    return this.repository.countBy({ isPlatformAdmin: true, isActive: true });
  }

  async setPlatformAdmin(tx: EntityManager, id: string, isPlatformAdmin: boolean): Promise<void> {
    await tx.update(User, { id }, { isPlatformAdmin, updatedAt: () => 'now()' });
  }

  platformAdminExists(tx?: EntityManager): Promise<boolean> {
    return (tx?.getRepository(User) ?? this.repository).existsBy({ isPlatformAdmin: true, isActive: true });
  }
}
