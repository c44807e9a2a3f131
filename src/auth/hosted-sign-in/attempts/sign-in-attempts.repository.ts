import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { issuedAt, issuedUnder } from '../../../users/issued-at.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { aadOfCarriedCode, openCarriedCode, sealCarriedCode } from '../../../invites/redemption/carried-code.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';

/** How a user has authenticated. */
export interface Authentication {
  readonly authTime: Date;
  readonly amr: string[];
  readonly sid: string | null;
}

/**
 * After an attempt has expired. An attacker can create many, so not longer than the states of providers are valid, which
 * are deleted with it.
 */
const KEPT = '10 minutes';

const NO_USER = { userId: null, authTime: null, amr: [], viaSso: false, sid: null };

const DROP_INVITE = `UPDATE sign_in_attempts SET request = (request - 'sealedInvite') || '{"inviteCode": null}' WHERE id = $1`;

/** Whether the account has changed since the user of `attempt` authenticated. */
const OUTDATED = `EXISTS (SELECT 1 FROM users u WHERE u.id = attempt.user_id
  AND (u.tokens_valid_from > attempt.identified_at OR u.credentials_version <> attempt.credentials_version))`;

@Injectable()
export class SignInAttemptsRepository {
  constructor(
    @InjectRepository(SignInAttempt) private readonly repository: Repository<SignInAttempt>,
    private readonly statements: Statements,
    private readonly box: SecretBox,
  ) {}

  /**
   * The code of an invite is stored encrypted; {@link findOfBrowser} decrypts it.
   * @param seconds until it expires, by the database's clock
   */
  async insert(
    attempt: Pick<
      SignInAttempt,
      | 'id'
      | 'browserHash'
      | 'appId'
      | 'request'
      | 'userId'
      | 'authTime'
      | 'amr'
      | 'viaSso'
      | 'sid'
      | 'credentialsVersion'
    >,
    seconds: number,
  ): Promise<void> {
    const request = sealCarriedCode(this.box, attempt.request, aadOfCarriedCode.attempt(attempt.id));
    const row = { ...attempt, request, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.repository.createQueryBuilder().insert().values(row).updateEntity(false).execute();
  }

  /**
   * An attempt of this browser, pending or finished. A user who was identified before a change of their account must
   * sign in again.
   */
  async findOfBrowser(id: string, browserHash: Buffer): Promise<SignInAttempt | null> {
    const { entities, raw } = await this.repository
      .createQueryBuilder('attempt')
      .addSelect(OUTDATED, 'outdated')
      .where('attempt.id = :id AND attempt.browserHash = :browserHash AND attempt.expiresAt > now()', {
        id,
        browserHash,
      })
      .getRawAndEntities<{ outdated: boolean }>();
    const stored = entities[0];
    if (!stored) return null;
    const attempt = { ...stored, request: openCarriedCode(this.box, stored.request, aadOfCarriedCode.attempt(id)) };
    return raw[0]?.outdated ? { ...attempt, ...NO_USER, isOutdated: true } : attempt;
  }

  /** Stores the user of the attempt, unless it has been finished in the meantime. */
  async identify(tx: EntityManager, held: HeldProof, id: string, shown: Authentication): Promise<void> {
    const { authTime, amr, sid } = shown;
    await tx.query(
      `UPDATE sign_in_attempts SET user_id = $2, auth_time = $3, amr = $4, sid = $5, via_sso = false,
         identified_at = ${issuedAt('$2')}, credentials_version = ${issuedUnder('$2')}
       WHERE id = $1 AND finished_at IS NULL`,
      [id, held.userIn(tx), authTime, amr, sid],
    );
  }

  /** Removes the user from the attempt, unless it has been finished in the meantime. */
  async forget(tx: EntityManager, id: string): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set(NO_USER)
      .where('id = :id AND finishedAt IS NULL', { id })
      .execute();
  }

  /** Called when the code has been used, so that the user is not asked about it again. */
  async dropInvite(tx: EntityManager, id: string): Promise<void> {
    await tx.query(DROP_INVITE, [id]);
  }

  /** Called when the user continues without the invite. */
  async declineInvite(id: string): Promise<void> {
    await this.repository.query(DROP_INVITE, [id]);
  }

  /** Stores the address that was typed on one page of the attempt for the next one. */
  async hint(id: string, email: string): Promise<void> {
    await this.repository.query(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{loginHint}', to_jsonb($2::text))
       WHERE id = $1 AND finished_at IS NULL`,
      [id, email],
    );
  }

  /** Called when the user continues without the requested `acr`, so that they are not asked again. */
  async dropAcr(id: string): Promise<void> {
    await this.repository.query(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{acr}', 'null') WHERE id = $1 AND finished_at IS NULL`,
      [id],
    );
  }

  /** Called when the user has agreed to continue, so that they are not asked again. */
  async confirm(tx: EntityManager, id: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{confirmedBy}', to_jsonb($2::text)) WHERE id = $1`,
      [id, userId],
    );
  }

  /** Called when the user has allowed the access on the consent page. */
  recordConsent(tx: EntityManager, id: string, userId: string): Promise<void> {
    return this.recordConsentAnswer(tx, id, userId, 'consentedBy');
  }

  /** Called when the user has not allowed the access on the consent page. */
  recordDenial(tx: EntityManager, id: string, userId: string): Promise<void> {
    return this.recordConsentAnswer(tx, id, userId, 'consentDeniedBy');
  }

  /** Either answer is also one to a confirmation that the app requested. */
  private async recordConsentAnswer(
    tx: EntityManager,
    id: string,
    userId: string,
    field: 'consentedBy' | 'consentDeniedBy',
  ): Promise<void> {
    await tx.query(
      `UPDATE sign_in_attempts SET request = request || jsonb_build_object($3::text, $2::text, 'confirmedBy', $2::text) WHERE id = $1`,
      [id, userId, field],
    );
  }

  /** Called when the user continues although their account will be deleted, so that they do not see that page again. */
  async passDeletion(tx: EntityManager, id: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{deletionSeenBy}', to_jsonb($2::text)) WHERE id = $1`,
      [id, userId],
    );
  }

  /** Called when the user has compared the code of the device, and allows it. */
  async allowDevice(tx: EntityManager, id: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{deviceAllowedBy}', to_jsonb($2::text)) WHERE id = $1`,
      [id, userId],
    );
  }

  /**
   * Stores a further factor of the same user, unless the attempt has ended or now belongs to another user. Does not
   * change `via_sso`, because a second factor chooses no account.
   */
  async strengthen(
    tx: EntityManager,
    held: HeldProof,
    id: string,
    { authTime, amr, sid }: Authentication,
  ): Promise<boolean> {
    // The held proof is that of the attempt; a factor that was set up in this transaction has changed the version of
    // the account's credentials.
    const [, affected] = (await tx.query(
      `UPDATE sign_in_attempts SET amr = $4, sid = $5, credentials_version = ${issuedUnder('$2')}
       WHERE id = $1 AND user_id = $2 AND auth_time = $3 AND credentials_version = $6
         AND finished_at IS NULL AND expires_at > now()`,
      [id, held.userIn(tx), authTime, amr, sid, held.credentialsVersion],
    )) as [unknown, number];
    return affected > 0;
  }

  /**
   * Locks the attempt until the transaction ends.
   * @returns its current `sid`; null while it has none
   */
  async holdSid(tx: EntityManager, id: string): Promise<string | null> {
    const [row] = (await tx.query('SELECT sid FROM sign_in_attempts WHERE id = $1 FOR UPDATE', [id])) as {
      sid: string | null;
    }[];
    return row?.sid ?? null;
  }

  /**
   * Finishes the attempt. The database decides which of several concurrent requests does it.
   * @param attempt as it was read: another window may have removed the user or identified another one
   * @returns false if the attempt was already finished, has expired or no longer contains this sign-in
   */
  async finish(
    tx: EntityManager,
    { id, userId, authTime }: Pick<SignInAttempt, 'id' | 'userId' | 'authTime'>,
  ): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set({ finishedAt: () => 'now()' })
      .where('id = :id AND finishedAt IS NULL AND expiresAt > now()', { id })
      .andWhere('userId = :userId AND authTime = :authTime', { userId, authTime })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** See {@link KEPT}. */
  purge(): Promise<void> {
    return purgeExpired(this.statements, 'sign_in_attempts', KEPT);
  }
}
