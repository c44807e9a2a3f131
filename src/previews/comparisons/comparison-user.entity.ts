import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { ChangeComparison } from '../../apps/comparisons/change-comparison.entity.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { User } from '../../users/user.entity.js';

/**
 * A user for whom a change was predicted to have an effect at an app. Deleted with the account, and after the last
 * comparison.
 */
@Entity('change_comparison_people')
@Index('ix_change_comparison_people_app', ['appId'])
@Index('ix_change_comparison_people_user', ['userId'])
export class ComparisonUser {
  @ForeignKey(() => ChangeComparison, { name: 'fk_change_comparison_people_comparison', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_change_comparison_people' })
  auditEntryId: string;

  @ForeignKey(() => App, { name: 'fk_change_comparison_people_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_change_comparison_people' })
  appId: string;

  @ForeignKey(() => User, { name: 'fk_change_comparison_people_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_change_comparison_people' })
  userId: string;

  @Column('text')
  effect: Effect;
}
