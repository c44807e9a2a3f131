import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/** A user who declined a passkey that was offered after a sign-in. */
@Entity('passkey_offers')
export class PasskeyOffer {
  @ForeignKey(() => User, { name: 'fk_passkey_offers_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkey_offers' })
  userId: string;

  @Column('timestamptz', { default: () => 'now()' })
  declinedAt: Date;
}
