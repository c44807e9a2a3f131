import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../../users/user.entity.js';

/** A passkey of a user: a credential record of WebAuthn (Level 3, section 4), for all apps and tenants. */
@Entity('passkeys')
@Check('ck_passkeys_sign_count', 'sign_count >= 0')
@Unique('uq_passkeys_credential', ['credentialId'])
@Index('ix_passkeys_user', ['userId'])
export class Passkey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkeys' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_passkeys_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** The host for which it was created; browsers do not offer it for another BASE_URL. */
  @Column('text')
  rpId: string;

  @Column('bytea')
  credentialId: Buffer;

  /** COSE_Key (RFC 9052, section 7). */
  @Column('bytea')
  publicKey: Buffer;

  /** Signature counter of the authenticator; 0 if it has none. */
  @Column('bigint')
  signCount: string;

  /** Model of the authenticator; zeros: not specified. */
  @Column('uuid')
  aaguid: string;

  @Column('text', { array: true })
  transports: string[];

  /**
   * The passkey may be copied to the owner's other devices (the flag BE, which never changes). Otherwise it stays in
   * one authenticator.
   */
  @Column('boolean')
  isSynced: boolean;

  /** The passkey has been copied (the flag BS, at the last use). */
  @Column('boolean')
  isBackedUp: boolean;

  /** Given by its owner; null: the name of the model is shown. */
  @Column('text', { nullable: true })
  name: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
