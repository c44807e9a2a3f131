import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

/** Why a family was revoked. `owner`: its client revoked one of its tokens (RFC 7009). */
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
 * The chain of refresh tokens of one sign-in. Revocation is stored here and not on the tokens, so that a successor
 * which a concurrent refresh inserts is revoked as well, in any order.
 */
@Entity('refresh_families')
@Index('ix_refresh_families_user_app', ['userId', 'appId'])
@Index('ix_refresh_families_expires', ['expiresAt'])
@Index('ix_refresh_families_app', ['appId'])
export class RefreshFamily {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_refresh_families' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_refresh_families_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @ForeignKey(() => App, { name: 'fk_refresh_families_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  /** The client's stable device id, if it sent one: reactions to replays are limited to the device. */
  @Column('text', { nullable: true })
  deviceId: string | null;

  /** Space-separated scopes of the sign-in; null if it requested none. */
  @Column('text', { nullable: true })
  scope: string | null;

  /** Identifier of the protected resource that all of its access tokens are for (RFC 8707); null: the app itself. */
  @Column('text', { nullable: true })
  resource: string | null;

  /** Individually requested claims (parameter `claims`); null if there were none. */
  @Column('jsonb', { nullable: true })
  claims: RequestedClaims | null;

  @Column('timestamptz')
  authTime: Date;

  /** RFC 8176 method names. */
  @Column('text', { array: true })
  amr: string[];

  /** The browser session in which it began. Signing out there ends it. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** Thumbprint of the key that is required for refreshes (RFC 9449 section 5). */
  @Column('text', { nullable: true })
  dpopJkt: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Maximum lifetime, at most 90 days, however often it is refreshed. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  /** A later use of a token counts as a replay only after `owner`. */
  @Column('text', { nullable: true })
  revokedFor: FamilyEnd | null;
}
