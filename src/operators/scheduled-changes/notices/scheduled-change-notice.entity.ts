import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../../users/user.entity.js';
import { ScheduledChange } from '../planning/scheduled-change.entity.js';

export type NoticeMoment = 'announced' | 'reminded' | 'retracted';

/** Records that a user got a mail about a scheduled change: once for each moment. */
@Entity('scheduled_change_notices')
@Index('ix_scheduled_change_notices_user', ['userId'])
@Check('ck_scheduled_change_notices_moment', `moment IN ('announced', 'reminded', 'retracted')`)
export class ScheduledChangeNotice {
  @ForeignKey(() => ScheduledChange, { name: 'fk_scheduled_change_notices_change', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scheduled_change_notices' })
  changeId: string;

  @ForeignKey(() => User, { name: 'fk_scheduled_change_notices_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scheduled_change_notices' })
  userId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_scheduled_change_notices' })
  moment: NoticeMoment;

  /** The app named in the mail, which may have been deleted. */
  @Column('uuid', { nullable: true })
  appId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
