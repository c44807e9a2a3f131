import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../../users/user.entity.js';

/** A browser, an app's device or a place that a user has signed in from. */
@Entity('known_browsers')
@Unique('uq_known_browsers_mark', ['userId', 'mark'])
@Index('ix_known_browsers_last_seen', ['lastSeenAt'])
export class KnownBrowser {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_known_browsers' })
  id: string;

  @ForeignKey(() => User, { name: 'fk_known_browsers_user', onDelete: 'CASCADE' })
  @Column('uuid')
  userId: string;

  /** SHA-256 of the cookie's value; of a device's id or of a place where an app signs in without cookies. */
  @Column('bytea')
  mark: Buffer;

  /** In words, e.g. "Firefox on Windows". */
  @Column('text')
  userAgent: string;

  /** IPv4 /24 or IPv6 /48. */
  @Column('text')
  network: string;

  @Column('timestamptz', { default: () => 'now()' })
  firstSeenAt: Date;

  /** Of the last sign-in. A sign-in from before all sign-ins of the user were ended does not count. */
  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  /** When the user was told of it by mail; null: never, for instance because it was the first. */
  @Column('timestamptz', { nullable: true })
  toldAt: Date | null;
}
