import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../users/user.entity.js';

/** A browser from which a user has signed in, or an app's device or place (network and program). */
@Entity('known_browsers')
@Unique('uq_known_browsers_mark', ['userId', 'mark'])
@Index('ix_known_browsers_last_seen', ['lastSeenAt'])
export class KnownBrowser {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_known_browsers' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_known_browsers_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** SHA-256 of the cookie's value; for an app without cookies, of its device's id, or of its network and program. */
  @Column('bytea')
  mark: Buffer;

  /** Browser and system in words, for example "Firefox on Windows". */
  @Column('text')
  userAgent: string;

  /** IPv4 /24 or IPv6 /48. */
  @Column('text')
  network: string;

  @Column('timestamptz', { default: () => 'now()' })
  firstSeenAt: Date;

  /** Time of the last sign-in. It no longer counts after all sessions and tokens of the user have ended. */
  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** When the user was mailed about it; null: never, for example because it was their first browser. */
  @Column('timestamptz', { nullable: true })
  toldAt: Date | null;
}
