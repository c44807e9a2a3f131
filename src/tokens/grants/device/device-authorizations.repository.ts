import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { issuedUnder } from '../../../users/issued-at.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import type { DeviceAuthorization } from './device-authorization.entity.js';
import type { SignInFacts } from '../issuance/grant.js';

export type NewDeviceAuthorization = Pick<
  DeviceAuthorization,
  | 'id'
  | 'deviceCodeHash'
  | 'userCodeHash'
  | 'userCodeSealed'
  | 'appId'
  | 'scope'
  | 'resource'
  | 'ipAddress'
  | 'userAgent'
  | 'intervalSeconds'
>;

/** A device that waits for a user's answer. */
export interface WaitingDevice extends Record<string, unknown> {
  readonly id: string;
  readonly appId: string;
  readonly userCodeSealed: string;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
}

/** The state that a poll finds, by the database's clock. */
export interface PolledDevice extends Record<string, unknown> {
  readonly isEarly: boolean;
  readonly isExpired: boolean;
  readonly isDenied: boolean;
  readonly isApproved: boolean;
  /** Resource of the sign-in (RFC 8707). */
  readonly resource: string | null;
}

/** Data of the sign-in that approved it: see `ConsumedCode`. */
export interface ConsumedDevice extends Record<string, unknown> {
  readonly user_id: string;
  readonly credentials_version: number;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly auth_time: Date;
  readonly amr: string[];
  readonly sid: string;
}

const WAITS = 'approved_at IS NULL AND denied_at IS NULL AND expires_at > clock_timestamp()';

const INSERT = {
  name: 'tokens.insert_device_authorization',
  text: `INSERT INTO device_authorizations (id, device_code_hash, user_code_hash, user_code_sealed, app_id, scope, ip_address,
      user_agent, interval_seconds, created_at, expires_at, resource)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), clock_timestamp() + make_interval(secs => $10), $11)
    ON CONFLICT (user_code_hash) DO NOTHING RETURNING id`,
};

const COLUMNS = `id, app_id AS "appId", user_code_sealed AS "userCodeSealed", scope, resource, ip_address AS "ipAddress",
  user_agent AS "userAgent", created_at AS "createdAt"`;

const BY_USER_CODE = {
  name: 'tokens.device_of_user_code',
  text: `SELECT ${COLUMNS} FROM device_authorizations WHERE user_code_hash = $1 AND ${WAITS}`,
};

const BY_ID = {
  name: 'tokens.waiting_device',
  text: `SELECT ${COLUMNS} FROM device_authorizations WHERE id = $1 AND ${WAITS}`,
};

const APPROVE = {
  name: 'tokens.approve_device',
  text: `UPDATE device_authorizations SET approved_at = clock_timestamp(), user_id = $2,
      credentials_version = ${issuedUnder('$2')}, auth_time = $3, amr = $4, sid = $5
    WHERE id = $1 AND ${WAITS} RETURNING id`,
};

const DENY = {
  name: 'tokens.deny_device',
  text: `UPDATE device_authorizations SET denied_at = clock_timestamp() WHERE id = $1 AND ${WAITS} RETURNING id`,
};

/**
 * RFC 8628 section 3.5: an early poll makes the interval longer, for this poll and all later ones. The row is locked
 * before it is evaluated, so of two concurrent polls, in any processes, one counts as early.
 */
const POLL = {
  name: 'tokens.poll_device',
  text: `WITH asked AS MATERIALIZED (
      SELECT id, coalesce(polled_at > clock_timestamp() - make_interval(secs => interval_seconds - $3::int), false) AS is_early
      FROM device_authorizations WHERE device_code_hash = $1 AND app_id = $2 AND used_at IS NULL FOR UPDATE
    )
    UPDATE device_authorizations d SET polled_at = clock_timestamp(),
      interval_seconds = d.interval_seconds + CASE WHEN asked.is_early THEN $4::int ELSE 0 END
    FROM asked WHERE d.id = asked.id AND d.used_at IS NULL
    RETURNING asked.is_early AS "isEarly", d.expires_at <= clock_timestamp() AS "isExpired",
      d.denied_at IS NOT NULL AS "isDenied", d.approved_at IS NOT NULL AS "isApproved", d.resource`,
};

/** One use, decided by the database: of several concurrent polls, one gets the row. */
const CONSUME = {
  name: 'tokens.consume_device',
  text: `UPDATE device_authorizations SET used_at = clock_timestamp()
    WHERE device_code_hash = $1 AND app_id = $2 AND used_at IS NULL AND denied_at IS NULL AND approved_at IS NOT NULL
      AND expires_at > clock_timestamp()
    RETURNING user_id, credentials_version, scope, resource, auth_time, amr, sid`,
};

const APP = {
  name: 'tokens.app_of_device_code',
  text: 'SELECT app_id AS "appId" FROM device_authorizations WHERE device_code_hash = $1',
};

/** Also if the user has approved it, because the device must fetch its tokens. */
const APP_THAT_POLLS = {
  name: 'tokens.app_that_polls',
  text: `${APP.text} AND used_at IS NULL AND denied_at IS NULL AND expires_at > clock_timestamp()`,
};

@Injectable()
export class DeviceAuthorizationsRepository {
  constructor(private readonly statements: Statements) {}

  /**
   * @param seconds until it expires, by the database's clock
   * @returns false if the user code is in use
   */
  async insert(device: NewDeviceAuthorization, seconds: number): Promise<boolean> {
    const { id, deviceCodeHash, userCodeHash, userCodeSealed, appId, scope, ipAddress, userAgent } = device;
    const values = [id, deviceCodeHash, userCodeHash, userCodeSealed, appId, scope, ipAddress, userAgent];
    return (
      (await this.statements.run(INSERT, [...values, device.intervalSeconds, seconds, device.resource])).length > 0
    );
  }

  async findByUserCode(userCodeHash: Buffer): Promise<WaitingDevice | null> {
    return (await this.statements.run<WaitingDevice>(BY_USER_CODE, [userCodeHash]))[0] ?? null;
  }

  async find(id: string, tx?: EntityManager): Promise<WaitingDevice | null> {
    return (await this.statements.run<WaitingDevice>(BY_ID, [id], tx))[0] ?? null;
  }

  /** @returns whether it was still pending */
  async approve(
    tx: EntityManager,
    held: HeldProof,
    id: string,
    { authTime, amr, sid }: Pick<SignInFacts, 'authTime' | 'amr' | 'sid'>,
  ): Promise<boolean> {
    return (await this.statements.run(APPROVE, [id, held.userIn(tx), authTime, amr, sid], tx)).length > 0;
  }

  /** @returns whether it was still pending */
  async deny(tx: EntityManager, id: string): Promise<boolean> {
    return (await this.statements.run(DENY, [id], tx)).length > 0;
  }

  /**
   * @param seconds tolerance for early polls, and increase of the interval
   * @returns null: unknown code
   */
  async poll(
    deviceCodeHash: Buffer,
    appId: string,
    seconds: { readonly tolerated: number; readonly added: number },
  ): Promise<PolledDevice | null> {
    const values = [deviceCodeHash, appId, seconds.tolerated, seconds.added];
    return (await this.statements.run<PolledDevice>(POLL, values))[0] ?? null;
  }

  async consume(tx: EntityManager, deviceCodeHash: Buffer, appId: string): Promise<ConsumedDevice | null> {
    return (await this.statements.run<ConsumedDevice>(CONSUME, [deviceCodeHash, appId], tx))[0] ?? null;
  }

  /** Id of the app that the device code was issued to, whatever has become of it. */
  async findApp(deviceCodeHash: Buffer): Promise<string | null> {
    return (await this.statements.run<{ appId: string }>(APP, [deviceCodeHash]))[0]?.appId ?? null;
  }

  /** As {@link findApp}, while a device can get tokens with the code or may yet be approved. */
  async findAppThatPolls(deviceCodeHash: Buffer): Promise<string | null> {
    return (await this.statements.run<{ appId: string }>(APP_THAT_POLLS, [deviceCodeHash]))[0]?.appId ?? null;
  }

  /** Kept for a day, so that a late poll still gets `expired_token`. */
  purge(): Promise<void> {
    return purgeExpired(this.statements, 'device_authorizations');
  }
}
