import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/**
 * The user handle that authenticators store: random, so that it reveals nothing about the user (WebAuthn, section
 * 14.6.1).
 */
@Entity('passkey_handles')
@Unique('uq_passkey_handles_handle', ['handle'])
export class PasskeyHandle {
  @ForeignKey(() => User, { name: 'fk_passkey_handles_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkey_handles' })
  userId: string;

  @Column('bytea')
  handle: Buffer;
}
