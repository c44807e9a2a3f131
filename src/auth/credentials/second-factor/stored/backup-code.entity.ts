import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/** A code that can be used once if the authenticator app is not available. */
@Entity('backup_codes')
@Index('ix_backup_codes_user', ['userId'])
export class BackupCode {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_backup_codes' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_backup_codes_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @Column('bytea')
  salt: Buffer;

  @Column('bytea')
  codeHash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
