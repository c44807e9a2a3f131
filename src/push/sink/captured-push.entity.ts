import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What would have been sent, where there is no Firebase account: the embedded mode's sink. */
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

  /** As the provider would have got it, without the device's token. */
  @Column('jsonb')
  payload: object;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
