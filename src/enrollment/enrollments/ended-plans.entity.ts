import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

/**
 * When an administrator, or the detection of a stolen token, last ended a user's sign-in to an app: changes that the
 * user had scheduled with it are void. Written by a trigger of the table of sign-ins.
 */
@Entity('ended_plans')
@Index('ix_ended_plans_app', ['appId'])
export class EndedPlans {
  @ForeignKey(() => User, { name: 'fk_ended_plans_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_ended_plans' })
  userId: string;

  @ForeignKey(() => App, { name: 'fk_ended_plans_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_ended_plans' })
  appId: string;

  @Column('timestamptz')
  endedAt: Date;
}
