import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Authority } from '../../common/actor.js';
import { Statements } from '../../database/statements.js';
import { authorityFrom, type HeldEnrollment } from './authority.rules.js';
import { holdsAuthority } from './authority.sql.js';
import { epochMs } from '../enrollments/epoch-ms.js';

/** A user as the access guard sees them, read in one statement. */
export interface UserAuthority {
  readonly email: string;
  readonly isActive: boolean;
  /** In Unix milliseconds; access tokens of earlier sign-ins are refused. */
  readonly tokensValidFrom: number;
  /** Version of the credentials at the time of this reading. */
  readonly credentialsVersion: number;
  /** Whether the user has an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  /** When the user set up the authenticator app. */
  readonly totpEnabledAt: Date | null;
  readonly authority: Authority;
}

interface Row {
  id: string;
  email: string;
  is_active: boolean;
  is_platform_admin: boolean;
  tokens_valid_from: number;
  credentials_version: number;
  has_second_factor: boolean;
  totp_enabled_at: Date | null;
  held: HeldEnrollment[];
}

/**
 * Active enrollments in Console apps, and those with a role that has authority. Tenants that are switched off are left
 * out.
 * @param isWanted condition on the id of the user
 */
function selectAuthority(isWanted: string): string {
  return `
    SELECT u.id, u.email, u.is_active, u.is_platform_admin, u.totp_enabled_at,
           u.totp_enabled_at IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)
             AS has_second_factor,
           u.credentials_version, ${epochMs('u.tokens_valid_from')} AS tokens_valid_from,
           coalesce((
             SELECT json_agg(json_build_object('app_id', a.id, 'tenant_id', a.tenant_id, 'is_console', a.is_console_app,
                                               'roles', e.roles))
             FROM enrollments e
             JOIN apps a ON a.id = e.app_id
             JOIN tenants t ON t.id = a.tenant_id AND t.is_active
             WHERE e.user_id = u.id AND e.status = 'active'
               AND ${holdsAuthority('a', 'e')}
           ), '[]') AS held
    FROM users u WHERE u.id ${isWanted}`;
}

const USER_AUTHORITY = { name: 'enrollment.authority', text: selectAuthority('= $1') };
const USERS_AUTHORITY = { name: 'enrollment.authorities', text: selectAuthority('= ANY($1::uuid[])') };

/** Requirements of a tenant for the sign-in of its users. */
export interface TenantPolicy {
  readonly require2fa: boolean;
  /** Null: all authenticator models. */
  readonly passkeyAaguids: string[] | null;
}

/** Policies of the tenants over which a user has authority: reads the same rows as {@link USER_AUTHORITY}. */
const POLICIES = {
  name: 'enrollment.policies_over_authority',
  text: `
    SELECT t.passkey_aaguids AS "passkeyAaguids",
      t.require_2fa OR (a.is_console_app AND coalesce((a.config ->> 'require_2fa')::boolean, false)) AS "require2fa"
    FROM enrollments e
    JOIN apps a ON a.id = e.app_id
    JOIN tenants t ON t.id = a.tenant_id AND t.is_active
    WHERE e.user_id = $1 AND e.status = 'active' AND ${holdsAuthority('a', 'e')}
      AND (t.passkey_aaguids IS NOT NULL OR t.require_2fa OR (a.config ->> 'require_2fa')::boolean)`,
};

/**
 * Locks in the order of docs/decisions/0024. SHARE, because several invites of one user can be redeemed concurrently.
 */
const HOLD_USER = { name: 'enrollment.hold_authority', text: 'SELECT 1 FROM users WHERE id = $1 FOR SHARE' };
const HOLD_ENROLLMENTS = {
  name: 'enrollment.hold_authority_enrollments',
  text: `
    SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
    WHERE e.user_id = $1 AND ${holdsAuthority('a', 'e')}
    ORDER BY e.app_id FOR SHARE OF e`,
};

@Injectable()
export class AuthorityRepository {
  constructor(private readonly statements: Statements) {}

  async findUserAuthority(userId: string, tx?: EntityManager): Promise<UserAuthority | null> {
    const [row] = await this.statements.run<Row & Record<string, unknown>>(USER_AUTHORITY, [userId], tx);
    return row ? authorityIn(row) : null;
  }

  /** Policies of tenants with any requirement. */
  listPolicies(userId: string, tx?: EntityManager): Promise<TenantPolicy[]> {
    return this.statements.run<TenantPolicy & Record<string, unknown>>(POLICIES, [userId], tx);
  }

  /** By user id. */
  async listUserAuthorities(userIds: readonly string[], tx?: EntityManager): Promise<Map<string, UserAuthority>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.statements.run<Row & Record<string, unknown>>(USERS_AUTHORITY, [userIds], tx);
    return new Map(rows.map((row) => [row.id, authorityIn(row)]));
  }

  /** As {@link findUserAuthority}, and prevents changes until the transaction ends. */
  async holdUserAuthority(tx: EntityManager, userId: string): Promise<UserAuthority | null> {
    await this.statements.run(HOLD_USER, [userId], tx);
    await this.statements.run(HOLD_ENROLLMENTS, [userId], tx);
    return this.findUserAuthority(userId, tx);
  }
}

function authorityIn(row: Row): UserAuthority {
  return {
    email: row.email,
    isActive: row.is_active,
    tokensValidFrom: row.tokens_valid_from,
    credentialsVersion: row.credentials_version,
    hasSecondFactor: row.has_second_factor,
    totpEnabledAt: row.totp_enabled_at,
    authority: authorityFrom({ isPlatformAdmin: row.is_platform_admin, isActive: row.is_active }, row.held),
  };
}
