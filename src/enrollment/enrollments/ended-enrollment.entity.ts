import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

/** When a user was last removed from an app. Tokens from before remain invalid if the user joins again. */
@Entity('ended_enrollments')
@Index('ix_ended_enrollments_app', ['appId'])
export class EndedEnrollment {
  @ForeignKey(() => User, { name: 'fk_ended_enrollments_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_ended_enrollments' })
  userId: string;

  @ForeignKey(() => App, { name: 'fk_ended_enrollments_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_ended_enrollments' })
  appId: string;

  @Column('timestamptz')
  endedAt: Date;
}
