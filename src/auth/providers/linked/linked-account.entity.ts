import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProviderName } from '../../../config/provider-settings.js';
import { User } from '../../../users/user.entity.js';

/**
 * An identity at a provider that opens an account here. Never looked up by e-mail address, which may change at the
 * provider or be given to another user there.
 */
@Entity('linked_accounts')
@Unique('uq_linked_accounts_identity', ['provider', 'subject'])
@Index('ix_linked_accounts_user', ['userId'])
export class LinkedAccount {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_linked_accounts' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_linked_accounts_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  @Column('text')
  provider: ProviderName;

  @Column('text')
  subject: string;

  /** The address that the provider sent at the time of linking; only shown, never compared. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  linkedAt: Date;
}
