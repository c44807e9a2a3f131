import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A challenge that waits for the answer of an authenticator. Valid for five minutes and one answer, which deletes the
 * row.
 */
@Entity('passkey_challenges')
@Index('ix_passkey_challenges_expires', ['expiresAt'])
export class PasskeyChallenge {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_passkey_challenges' })
  challenge: Buffer;

  /** The sign-in attempt or session of a browser, and the purpose: no other can answer. */
  @Column('text')
  boundTo: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
