import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

/** Why a family was revoked. `owner`: its client gave a token of it back (RFC 7009). */
export type FamilyEnd =
  | 'owner'
  | 'signed_out'
  | 'ended_by_admin'
  | 'suspended'
  | 'removed'
  | 'consent_revoked'
  | 'not_taken'
  | 'replay'
  | 'code_reuse'
  | 'admin';

/**
 * One sign-in's line of refresh tokens. Revocation is written here and not on the tokens: a child that a racing
 * refresh inserts at the same moment is born dead, in every order.
 */
@Entity('refresh_families')
@Index('ix_refresh_families_user_app', ['userId', 'appId'])
@Index('ix_refresh_families_expires', ['expiresAt'])
export class RefreshFamily {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_refresh_families' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_refresh_families_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @ForeignKey(() => App, { name: 'fk_refresh_families_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  /** The client's stable id, where it gave one: replay reactions stay within the device. */
  @Column('text', { nullable: true })
  deviceId: string | null;

  /** Space-separated scopes of the sign-in, null where it asked for none. */
  @Column('text', { nullable: true })
  scope: string | null;

  /** Identifier of the protected resource that all of its access tokens are for (RFC 8707); null: the app itself. */
  @Column('text', { nullable: true })
  resource: string | null;

  /** Asked for one by one (parameter `claims`), null where the sign-in did not. */
  @Column('jsonb', { nullable: true })
  claims: RequestedClaims | null;

  @Column('timestamptz')
  authTime: Date;

  /** RFC 8176 method names. */
  @Column('text', { array: true })
  amr: string[];

  /** The browser session that it came from: signing out there ends it. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** Thumbprint of the key without which it is not refreshed (RFC 9449 section 5). */
  @Column('text', { nullable: true })
  dpopJkt: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Absolute end, 90 days at most, however often it is refreshed. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  /** Only after `owner` is a later use of it a replay. */
  @Column('text', { nullable: true })
  revokedFor: FamilyEnd | null;
}
