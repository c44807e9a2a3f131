import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { Tenant } from '../../../tenants/tenant.entity.js';
import { User } from '../../../users/user.entity.js';

export const SCHEDULED_STATES = ['planned', 'executed', 'cancelled', 'failed'] as const;
export type ScheduledState = (typeof SCHEDULED_STATES)[number];

/** Credential with which the change was planned. */
export type PlanningCredential = 'console' | 'user_token' | 'service_token';

/** Why a change was not made. `detail` is the refusal of the save. */
export type FailureReason =
  'late' | 'authority' | 'unconfirmed' | 'refused' | 'lock_out' | 'lock_out_of_all' | 'changed_meanwhile';

/** A setting in the change whose value was changed since the change was planned. */
export interface ChangedSetting {
  readonly setting: string;
  readonly then: unknown;
  readonly now: unknown;
}

export interface ScheduledResult {
  /** Only of a change that has failed. */
  readonly reason?: FailureReason;
  readonly detail?: string;
  readonly changed?: readonly ChangedSetting[];
}

/** A change of settings that takes effect later. This row is authoritative: jobs only contain its id. */
@Entity('scheduled_changes')
@Index('ix_scheduled_changes_tenant', ['tenantId', 'createdAt'])
@Index('ix_scheduled_changes_app', ['appId'])
@Index('ix_scheduled_changes_planned_by', ['plannedBy'])
@Index('ix_scheduled_changes_planned_by_app', ['plannedByApp'])
@Index('ix_scheduled_changes_planned', ['effectiveAt'], { where: `(state = 'planned')` })
@Index('ix_scheduled_changes_settled', ['settledAt'])
@Check('ck_scheduled_changes_state', `state IN ('planned', 'executed', 'cancelled', 'failed')`)
@Check('ck_scheduled_changes_credential', `credential IN ('console', 'user_token', 'service_token')`)
@Check('ck_scheduled_changes_settled', `(settled_at IS NOT NULL) = (state <> 'planned')`)
export class ScheduledChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scheduled_changes' })
  id: string;

  @ForeignKey(() => Tenant, { name: 'fk_scheduled_changes_tenant', onDelete: 'CASCADE' })
  @Column('uuid')
  tenantId: string;

  /** Null: the settings of the tenant itself. */
  @ForeignKey(() => App, { name: 'fk_scheduled_changes_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  /** The body of the update, without secrets. */
  @Column('jsonb')
  change: Readonly<Record<string, unknown>>;

  @Column('timestamptz')
  effectiveAt: Date;

  @Column('text', { default: 'planned' })
  state: ScheduledState;

  @Column('text')
  credential: PlanningCredential;

  /** Null for a change planned by an app. This and the next one are both null if the planner no longer exists. */
  @ForeignKey(() => User, { name: 'fk_scheduled_changes_planned_by', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  plannedBy: string | null;

  @ForeignKey(() => App, { name: 'fk_scheduled_changes_planned_by_app', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  plannedByApp: string | null;

  /** The app of the planner's token or session; null: planned by a service. */
  @Column('uuid', { nullable: true })
  audience: string | null;

  /** When the service token that planned it was issued. */
  @Column('timestamptz', { nullable: true })
  tokenIssuedAt: Date | null;

  /** Authentication methods of the planner's sign-in (RFC 8176). */
  @Column('text', { array: true, default: '{}' })
  amr: string[];

  /**
   * The reasons for which the change needed a recent sign-in when it was planned (`criticalReasons`), and the planner had
   * one. Empty for a change that was planned by an earlier version.
   */
  @Column('text', { array: true, default: '{}' })
  confirmed: string[];

  /** The planner has confirmed that the change locks them out. */
  @Column('boolean')
  locksPlannerOut: boolean;

  /** The planner has confirmed that the change locks out all administrators of the tenant. */
  @Column('boolean')
  locksAdminsOut: boolean;

  /** The settings in the change, with their values when it was planned. */
  @Column('jsonb')
  settingsThen: Readonly<Record<string, unknown>>;

  /** Null: not counted yet. Empty if no member is affected. */
  @Column('jsonb', { nullable: true })
  predictionThen: Prediction | null;

  /** Computed again just before the change was made. */
  @Column('jsonb', { nullable: true })
  predictionNow: Prediction | null;

  @Column('jsonb', { nullable: true })
  result: ScheduledResult | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  settledAt: Date | null;

  /**
   * When the first mails to all affected users were sent. The next two: those of the day before, and those that say that
   * the change was cancelled or failed.
   */
  @Column('timestamptz', { nullable: true })
  announcedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  remindedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  retractedAt: Date | null;
}
