import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from '../../tenants/tenant.entity.js';
import { App } from '../app/app.entity.js';

/** Number of users by effect, as shown to the operator before they saved a change. */
export type Prediction = Readonly<Record<string, number>>;

/** Outcome for the users of one effect. Each user counts once, and may count in `signedIn` as well. */
export interface EffectOutcome {
  /** Users who did what the effect requires, or signed in. */
  readonly met: number;
  /** Users who were refused, and have not signed in since. */
  readonly refused: number;
  /** Users who have not tried to sign in yet. */
  readonly waiting: number;
  /** Users who could no longer sign in for another reason, or whose account was deleted. */
  readonly gone: number;
  readonly signedIn: number;
}

export interface ComparisonResult {
  readonly at: string;
  readonly effects: Readonly<Record<string, EffectOutcome>>;
}

/** Changed settings of an app or a tenant, by their names in the code. */
export type ChangedSide = Readonly<Record<string, unknown>>;

/**
 * A change with its predicted effect on users, and the actual outcome. Its id is that of the audit entry of the change.
 */
@Entity('change_comparisons')
@Index('ix_change_comparisons_tenant', ['tenantId', 'changedAt'])
@Index('ix_change_comparisons_app', ['appId', 'changedAt'])
export class ChangeComparison {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_change_comparisons' })
  auditEntryId: string;

  @ForeignKey(() => Tenant, { name: 'fk_change_comparisons_tenant', onDelete: 'CASCADE' })
  @Column('uuid')
  tenantId: string;

  /** Null: a change of the tenant itself. */
  @ForeignKey(() => App, { name: 'fk_change_comparisons_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt: Date;

  /** Empty: there was no prediction, and the affected users are not stored yet. */
  @Column('jsonb')
  prediction: Prediction;

  /** Not used. To be dropped after a version that does not read it. */
  @Column('boolean')
  knowsAll: boolean;

  /** Changed settings: columns of the tenant; `is_active` and members of `config` of the app. */
  @Column('text', { array: true })
  settings: string[];

  /** Null once the affected users are stored. */
  @Column('jsonb', { nullable: true })
  sides: { readonly before: ChangedSide; readonly after: ChangedSide } | null;

  /** Number of users by effect, as stored right after the change; null: not stored yet. */
  @Column('jsonb', { nullable: true })
  found: Prediction | null;

  @Column('jsonb', { nullable: true })
  afterDay: ComparisonResult | null;

  @Column('jsonb', { nullable: true })
  afterWeek: ComparisonResult | null;

  /**
   * When one of the same settings was changed again, which ends the comparison. Set by triggers on apps and tenants.
   */
  @Column('timestamptz', { nullable: true })
  changedAgainAt: Date | null;
}
