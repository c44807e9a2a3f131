import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../../users/user.entity.js';

/** A mail about a new sign-in method, whose link can still undo it. */
@Entity('credential_notices')
@Index('ix_credential_notices_user', ['userId'])
@Index('ix_credential_notices_expires', ['expiresAt'])
export class CredentialNotice {
  /** SHA-256 of the token in the mailed link. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_credential_notices' })
  stopHash: Buffer;

  @ForeignKey(() => User, { name: 'fk_credential_notices_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** Recipient of the link. */
  @Column('text')
  email: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
