import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { Statements } from '../../../../database/statements.js';
import { translateViolation } from '../../../../database/violated-constraint.js';
import type { PasskeyPolicy } from './passkey-models.rules.js';
import { Passkey } from './passkey.entity.js';
import { PasskeyAlreadyAdded } from './passkeys.errors.js';
import { PLACES_OF_USER } from './places-of-user.sql.js';

const FIND_HANDLE = {
  name: 'auth.find_passkey_handle',
  text: 'SELECT handle FROM passkey_handles WHERE user_id = $1',
};

/** Two concurrent registrations create one user handle. */
const ADD_HANDLE = {
  name: 'auth.add_passkey_handle',
  text: 'INSERT INTO passkey_handles (user_id, handle) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

const HANDLES_OF = {
  name: 'auth.passkey_handles_of',
  text: 'SELECT user_id AS "userId", handle FROM passkey_handles WHERE user_id = ANY($1)',
};

/** Does not take a user handle from another user. */
const ADD_HANDLES = {
  name: 'auth.add_passkey_handles',
  text: `INSERT INTO passkey_handles (user_id, handle) SELECT * FROM unnest($1::uuid[], $2::bytea[])
    ON CONFLICT DO NOTHING RETURNING user_id AS "userId"`,
};

/**
 * Compared and stored in one statement: of two uses with the same count of one authenticator, one is refused. A used
 * passkey is not lost, so it ends the waiting time of a user who reported that all are.
 */
const USE = {
  name: 'auth.use_passkey',
  text: `WITH used AS (
      UPDATE passkeys SET sign_count = $3, is_backed_up = $4, last_used_at = now()
      WHERE id = $1 AND user_id = $2 AND (is_synced OR sign_count < $3 OR (sign_count = 0 AND $3 = 0)) RETURNING user_id),
    found AS (DELETE FROM passkey_recoveries r USING used WHERE r.user_id = used.user_id)
    SELECT 1 FROM used`,
};

/** Two factors, or a passkey, are demanded of the user at one of their places, or of administrators in general. */
const IS_SECOND_FACTOR = {
  name: 'auth.passkey_is_second_factor',
  text: `SELECT EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1 AND rp_id = $2) AND (
      EXISTS (SELECT 1 FROM (${PLACES_OF_USER}) place WHERE place.demands OR ($3 AND place.is_member AND place.is_console))
      OR ($3 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND is_platform_admin))
    ) AS "isOne"`,
};

/** Those with which a user can begin a sign-in, so that a passkey is the second factor. */
const HAS_OTHERS = {
  name: 'auth.has_credentials_beside_passkeys',
  text: `SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND password_hash IS NOT NULL)
    OR EXISTS (SELECT 1 FROM linked_accounts WHERE user_id = $1 AND provider = ANY ($2::text[])) AS "has"`,
};

/** Of every tenant that the user is a member of and that accepts only some models. */
const LIST_POLICIES = {
  name: 'auth.list_passkey_policies',
  text: `SELECT DISTINCT t.passkey_aaguids AS "passkeyAaguids" FROM enrollments e JOIN apps a ON a.id = e.app_id
    JOIN tenants t ON t.id = a.tenant_id
    WHERE e.user_id = $1 AND e.status = 'active' AND t.passkey_aaguids IS NOT NULL`,
};

const OWNERS_AMONG = {
  name: 'auth.passkey_owners',
  text: 'SELECT DISTINCT user_id AS "userId" FROM passkeys WHERE user_id = ANY ($1::uuid[])',
};

@Injectable()
export class PasskeysRepository {
  constructor(
    @InjectRepository(Passkey) private readonly passkeys: Repository<Passkey>,
    private readonly statements: Statements,
  ) {}

  /** Oldest first. */
  listOf(userId: string, tx?: EntityManager): Promise<Passkey[]> {
    const repository = tx?.getRepository(Passkey) ?? this.passkeys;
    return repository.find({ where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Which of these users have one. */
  async ownersAmong(userIds: readonly string[]): Promise<string[]> {
    const rows = await this.statements.run<{ userId: string }>(OWNERS_AMONG, [[...userIds]]);
    return rows.map(({ userId }) => userId);
  }

  findByCredentialId(credentialId: Buffer): Promise<Passkey | null> {
    return this.passkeys.findOneBy({ credentialId });
  }

  /** Oldest first. */
  async listOfAll(userIds: readonly string[]): Promise<Passkey[]> {
    if (userIds.length === 0) return [];
    return this.passkeys.find({ where: { userId: In([...userIds]) }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  find(userId: string, id: string, tx?: EntityManager): Promise<Passkey | null> {
    return (tx?.getRepository(Passkey) ?? this.passkeys).findOneBy({ id, userId });
  }

  /** Requirements of tenants for the passkeys that this user adds. */
  listPolicies(userId: string, tx?: EntityManager): Promise<PasskeyPolicy[]> {
    return this.statements.run<{ passkeyAaguids: string[] }>(LIST_POLICIES, [userId], tx);
  }

  /** @param requireAdmin2fa administrators need two factors */
  async isSecondFactor(userId: string, rpId: string, requireAdmin2fa: boolean, tx?: EntityManager): Promise<boolean> {
    const values = [userId, rpId, requireAdmin2fa];
    return (await this.statements.run<{ isOne: boolean }>(IS_SECOND_FACTOR, values, tx))[0]!.isOne;
  }

  /** @param providers that count */
  async hasOtherCredentials(userId: string, providers: readonly string[], tx?: EntityManager): Promise<boolean> {
    return (await this.statements.run<{ has: boolean }>(HAS_OTHERS, [userId, [...providers]], tx))[0]!.has;
  }

  /** @throws PasskeyAlreadyAdded, decided by the unique constraint */
  async insert(tx: EntityManager, passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<void> {
    await tx
      .insert(Passkey, passkey)
      .catch((error: unknown) =>
        translateViolation(error, { uq_passkeys_credential: () => new PasskeyAlreadyAdded() }),
      );
  }

  /** @returns ids of those that are new */
  async insertMissing(
    tx: EntityManager,
    passkeys: readonly Omit<Passkey, 'createdAt' | 'lastUsedAt'>[],
  ): Promise<Set<string>> {
    const query = tx
      .createQueryBuilder()
      .insert()
      .into(Passkey)
      .values([...passkeys]);
    const { raw } = (await query.orIgnore().returning('id').execute()) as { raw: { id: string }[] };
    return new Set(raw.map(({ id }) => id));
  }

  /** @returns false if it has been removed, or its counter has not increased */
  async use(
    tx: EntityManager,
    { id, userId }: Passkey,
    { signCount, isBackedUp }: { signCount: number; isBackedUp: boolean },
  ): Promise<boolean> {
    return (await this.statements.run(USE, [id, userId, signCount, isBackedUp], tx)).length > 0;
  }

  async rename(tx: EntityManager, { id, userId }: Passkey, name: string): Promise<boolean> {
    const result = await tx.update(Passkey, { id, userId }, { name });
    return (result.affected ?? 0) > 0;
  }

  async remove(tx: EntityManager, { id, userId }: Passkey): Promise<boolean> {
    const result = await tx.delete(Passkey, { id, userId });
    return (result.affected ?? 0) > 0;
  }

  async findHandle(userId: string): Promise<Buffer | null> {
    const [row] = await this.statements.run<{ handle: Buffer }>(FIND_HANDLE, [userId]);
    return row?.handle ?? null;
  }

  async addHandle(userId: string, handle: Buffer): Promise<void> {
    await this.statements.run(ADD_HANDLE, [userId, handle]);
  }

  async handlesOf(userIds: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.statements.run<{ userId: string; handle: Buffer }>(HANDLES_OF, [userIds]);
    return new Map(rows.map(({ userId, handle }) => [userId, handle]));
  }

  /** @returns users who have their own handle now */
  async addHandles(tx: EntityManager, handles: ReadonlyMap<string, Buffer>): Promise<Set<string>> {
    const values = [[...handles.keys()], [...handles.values()]];
    const rows = await this.statements.run<{ userId: string }>(ADD_HANDLES, values, tx);
    return new Set(rows.map(({ userId }) => userId));
  }
}
