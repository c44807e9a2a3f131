import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';

/**
 * A request that an app pushed before it redirects the browser (RFC 9126). Valid for one minute and one use, which
 * deletes the row.
 */
@Entity('pushed_requests')
@Index('ix_pushed_requests_expires', ['expiresAt'])
export class PushedRequest {
  /** SHA-256 of the last part of the `request_uri`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_pushed_requests' })
  referenceHash: Buffer;

  @ForeignKey(() => App, { name: 'fk_pushed_requests_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  /** As at `/login`, without the client's credentials. */
  @Column('jsonb')
  parameters: Record<string, string>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
