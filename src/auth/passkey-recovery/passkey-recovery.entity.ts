import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../users/user.entity.js';

/**
 * A recovery in progress: a user has shown one factor, reported that all passkeys are lost, and waits. The tenants'
 * policies decide when the waiting time ends.
 */
@Entity('passkey_recoveries')
@Unique('uq_passkey_recoveries_stop', ['stopHash'])
export class PasskeyRecoveryRequest {
  @ForeignKey(() => User, { name: 'fk_passkey_recoveries_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkey_recoveries' })
  userId: string;

  /** SHA-256 of the token in the mailed link. */
  @Column('bytea')
  stopHash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
