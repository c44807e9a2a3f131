import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/** A user's authenticator app (RFC 6238). Valid once `confirmedAt` is set; `users.totp_enabled_at` mirrors that. */
@Entity('second_factors')
export class SecondFactor {
  @ForeignKey(() => User, { name: 'fk_second_factors_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_second_factors' })
  userId: string;

  /** 160 random bits in base 32, encrypted. */
  @Column('text')
  sealedSecret: string;

  /** The latest accepted time step: it and all earlier ones are used up. */
  @Column('bigint', { default: 0 })
  lastStep: string;

  /** The hosted sign-in, session or app in which an unconfirmed secret was shown: no other one shows it again. */
  @Column('text', { nullable: true })
  begunIn: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  confirmedAt: Date | null;
}
