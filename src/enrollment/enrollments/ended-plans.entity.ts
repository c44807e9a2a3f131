import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

/**
 * When a user's sign-in to an app was last ended by an administrator or for a theft: what they had scheduled with one is void. A
 * trigger of the table of sign-ins writes it.
 */
@Entity('ended_plans')
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
