import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/user.entity.js';
import { OperatorTask } from './operator-task.entity.js';

/** A user of a task. Its state is set in the transaction of the action, so that the action happens once. */
@Entity('operator_task_people')
@Index('ix_operator_task_people_state', ['taskId', 'state', 'position'])
@Index('ix_operator_task_people_user', ['userId'])
@Check('ck_operator_task_people_state', `state IN ('waiting', 'done', 'failed')`)
export class TaskUser {
  @ForeignKey(() => OperatorTask, { name: 'fk_operator_task_people_task', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_operator_task_people' })
  taskId: string;

  @ForeignKey(() => User, { name: 'fk_operator_task_people_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_operator_task_people' })
  userId: string;

  /** Position in the order, from 0. */
  @Column('integer')
  position: number;

  @Column('text', { default: 'waiting' })
  state: 'waiting' | 'done' | 'failed';

  /** Why the action failed; for a user who is done, a note, for example that no e-mail was sent. */
  @Column('text', { nullable: true })
  problem: string | null;
}
