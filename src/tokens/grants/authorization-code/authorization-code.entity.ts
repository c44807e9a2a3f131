import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

/** Authorization code of a completed hosted sign-in; valid for 60 seconds and one use. */
@Entity('authorization_codes')
@Index('ix_authorization_codes_expires', ['expiresAt'])
@Index('ix_authorization_codes_user', ['userId'])
@Index('ix_authorization_codes_app', ['appId'])
export class AuthorizationCode {
  /** SHA-256 of the code. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_authorization_codes' })
  codeHash: Buffer;

  @ForeignKey(() => User, { name: 'fk_authorization_codes_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @ForeignKey(() => App, { name: 'fk_authorization_codes_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('text')
  redirectUri: string;

  /** base64url SHA-256 of the verifier (RFC 7636, S256); null if the client sent none. */
  @Column('text', { nullable: true })
  codeChallenge: string | null;

  @Column('text', { nullable: true })
  deviceId: string | null;

  @Column('text', { nullable: true })
  scope: string | null;

  /** Identifier of the requested protected resource (RFC 8707). */
  @Column('text', { nullable: true })
  resource: string | null;

  /** From the parameter `claims`: those that the service knows. */
  @Column('jsonb', { nullable: true })
  claims: RequestedClaims | null;

  @Column('text', { nullable: true })
  nonce: string | null;

  @Column('timestamptz')
  authTime: Date;

  @Column('text', { array: true })
  amr: string[];

  /** Id of the browser session in which it was issued. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** Thumbprint of the key that it is bound to (RFC 9449 section 10). */
  @Column('text', { nullable: true })
  dpopJkt: string | null;

  /** Version of the account's credentials when the code was issued. */
  @Column('integer', { default: 1 })
  credentialsVersion: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  /** The refresh token family that the first use created, so that a second use can revoke it. */
  @Column('uuid', { nullable: true })
  familyId: string | null;
}
