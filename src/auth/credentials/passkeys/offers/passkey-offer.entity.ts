import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/** A user who was offered a passkey after a sign-in, and wanted none yet. */
@Entity('passkey_offers')
export class PasskeyOffer {
  @ForeignKey(() => User, { name: 'fk_passkey_offers_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkey_offers' })
  userId: string;

  @Column('timestamptz', { default: () => 'now()' })
  declinedAt: Date;
}
