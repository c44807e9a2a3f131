import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';

/**
 * A device without a browser that waits until a user approves its sign-in elsewhere (RFC 8628). Valid for 15 minutes
 * and one use.
 */
@Entity('device_authorizations')
@Unique('uq_device_authorizations_device_code', ['deviceCodeHash'])
@Unique('uq_device_authorizations_user_code', ['userCodeHash'])
@Index('ix_device_authorizations_expires', ['expiresAt'])
@Index('ix_device_authorizations_user', ['userId'])
@Index('ix_device_authorizations_app', ['appId'])
export class DeviceAuthorization {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_device_authorizations' })
  id: string;

  /** SHA-256 of the code with which the device polls. */
  @Column('bytea')
  deviceCodeHash: Buffer;

  /** SHA-256 of the code that the user types. */
  @Column('bytea')
  userCodeHash: Buffer;

  /** The same code, encrypted: the page shows it for comparison with the device. */
  @Column('text')
  userCodeSealed: string;

  @ForeignKey(() => App, { name: 'fk_device_authorizations_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  @Column('text', { nullable: true })
  scope: string | null;

  /** Identifier of the requested protected resource (RFC 8707). */
  @Column('text', { nullable: true })
  resource: string | null;

  /** Network address of the device. */
  @Column('text', { nullable: true })
  ipAddress: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  /** Seconds between two polls; increased after each early one. */
  @Column('integer')
  intervalSeconds: number;

  @Column('timestamptz', { nullable: true })
  polledAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  deniedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  approvedAt: Date | null;

  /** The user who approved it; the columns below describe that sign-in. */
  @ForeignKey(() => User, { name: 'fk_device_authorizations_user', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  userId: string | null;

  /** Version of the account's credentials at that time. */
  @Column('integer', { nullable: true })
  credentialsVersion: number | null;

  @Column('timestamptz', { nullable: true })
  authTime: Date | null;

  @Column('text', { array: true, nullable: true })
  amr: string[] | null;

  /** Id of the device's own session, which the user can end on the account page. */
  @Column('uuid', { nullable: true })
  sid: string | null;

  /** When the device got its tokens. */
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
