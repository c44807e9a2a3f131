import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ProviderName } from '../../../config/provider-settings.js';
import { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';

/**
 * The identity of a new user whom a provider has authenticated and who has yet to accept an invite. Found by
 * `oauth_token`.
 */
@Entity('pending_identities')
@Index('ix_pending_identities_expires', ['expiresAt'])
@Index('ix_pending_identities_attempt', ['attemptId'])
export class PendingIdentity {
  /** SHA-256 of `oauth_token`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_pending_identities' })
  tokenHash: Buffer;

  @Column('bytea')
  browserHash: Buffer;

  @ForeignKey(() => SignInAttempt, { name: 'fk_pending_identities_attempt', onDelete: 'CASCADE' })
  @Column('uuid')
  attemptId: string;

  @Column('text')
  provider: ProviderName;

  @Column('text')
  subject: string;

  @Column('text')
  email: string;

  @Column('boolean')
  emailVerified: boolean;

  @Column('text', { nullable: true })
  displayName: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
