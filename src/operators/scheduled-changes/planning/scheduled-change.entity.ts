import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { Tenant } from '../../../tenants/tenant.entity.js';
import { User } from '../../../users/user.entity.js';

export const SCHEDULED_STATES = ['planned', 'executed', 'cancelled', 'failed'] as const;
export type ScheduledState = (typeof SCHEDULED_STATES)[number];

/** What it was planned with. */
export type PlanningCredential = 'console' | 'user_token' | 'service_token';

/** Why a change was not made. `detail` is the refusal of the save. */
export type FailureReason = 'late' | 'authority' | 'refused' | 'lock_out' | 'lock_out_of_all' | 'changed_meanwhile';

/** A setting that the change names, which a user has changed since it was planned. */
export interface ChangedSetting {
  readonly setting: string;
  readonly then: unknown;
  readonly now: unknown;
}

export interface ScheduledResult {
  /** Of a change that has failed. */
  readonly reason?: FailureReason;
  readonly detail?: string;
  readonly changed?: readonly ChangedSetting[];
}

/** A change of settings that takes effect later. This row is the truth: jobs only name it. */
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

  /** The body of the update. No secrets. */
  @Column('jsonb')
  change: Readonly<Record<string, unknown>>;

  @Column('timestamptz')
  effectiveAt: Date;

  @Column('text', { default: 'planned' })
  state: ScheduledState;

  @Column('text')
  credential: PlanningCredential;

  /** Null, with the next one: the planner no longer exists. */
  @ForeignKey(() => User, { name: 'fk_scheduled_changes_planned_by', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  plannedBy: string | null;

  @ForeignKey(() => App, { name: 'fk_scheduled_changes_planned_by_app', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  plannedByApp: string | null;

  /** The app that the token or the session of the planner was for; null: of a service. */
  @Column('uuid', { nullable: true })
  audience: string | null;

  /** Of the service token that planned it. */
  @Column('timestamptz', { nullable: true })
  tokenIssuedAt: Date | null;

  /** What the planner had shown at their sign-in (RFC 8176). */
  @Column('text', { array: true, default: '{}' })
  amr: string[];

  /** The change would lock the planner out, which they have confirmed. */
  @Column('boolean')
  locksPlannerOut: boolean;

  /** Likewise: all administrators of the tenant. */
  @Column('boolean')
  locksAdminsOut: boolean;

  /** The settings that the change names, as they were. */
  @Column('jsonb')
  settingsThen: Readonly<Record<string, unknown>>;

  /** Null: not known yet, or no member is affected by anything. */
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

  /** When all who are concerned had been told at once; the next two: the day before, and that it will not happen. */
  @Column('timestamptz', { nullable: true })
  announcedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  remindedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  retractedAt: Date | null;
}
