import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A notification that the embedded mode captured, because there is no Firebase account. */
@Entity('captured_pushes')
@Index('ix_captured_pushes_created', ['createdAt'])
export class CapturedPush {
  /** Id of the delivery, so that a second attempt shows once. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_captured_pushes' })
  id: string;

  @Column('uuid')
  appId: string;

  @Column('uuid')
  userId: string;

  @Column('uuid')
  deviceId: string;

  @Column('uuid')
  notificationId: string;

  /** The request to the provider, without the device's token. */
  @Column('jsonb')
  payload: object;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
