import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';

/** What an app pushed before it sends the browser (RFC 9126). One minute, one use: the row is deleted with it. */
@Entity('pushed_requests')
@Index('ix_pushed_requests_expires', ['expiresAt'])
export class PushedRequest {
  /** SHA-256 of the last part of the `request_uri`. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'pk_pushed_requests' })
  referenceHash: Buffer;

  @ForeignKey(() => App, { name: 'fk_pushed_requests_app', onDelete: 'CASCADE' })
  @Column('uuid')
  appId: string;

  /** As at `/login`, without what proved the client. */
  @Column('jsonb')
  parameters: Record<string, string>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
