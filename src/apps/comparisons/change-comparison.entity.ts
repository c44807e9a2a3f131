import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from '../../tenants/tenant.entity.js';
import { App } from '../app/app.entity.js';

/** Users by effect: what the operator was shown before they saved a change. */
export type Prediction = Readonly<Record<string, number>>;

/** What has become of the users of one effect. Each of them counts once but in `signedIn`. */
export interface EffectOutcome {
  /** They did what the effect asks for, or signed in. */
  readonly met: number;
  /** They were refused, and have not got in since. */
  readonly refused: number;
  /** They have not come yet. */
  readonly waiting: number;
  /** They could not enter any more for another reason, or their account was deleted. */
  readonly gone: number;
  readonly signedIn: number;
}

export interface ComparisonResult {
  readonly at: string;
  readonly effects: Readonly<Record<string, EffectOutcome>>;
}

/** Settings of an app or a tenant by their names in the code: those that have changed. */
export type ChangedSide = Readonly<Record<string, unknown>>;

/** A change whose effect on users was predicted, and what has become of them. Its id is that of the audit entry of the change. */
@Entity('change_comparisons')
@Index('ix_change_comparisons_tenant', ['tenantId', 'changedAt'])
@Index('ix_change_comparisons_app', ['appId', 'changedAt'])
export class ChangeComparison {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_change_comparisons' })
  auditEntryId: string;

  @ForeignKey(() => Tenant, { name: 'fk_change_comparisons_tenant', onDelete: 'CASCADE' })
  @Column('uuid')
  tenantId: string;

  /** Null: a change of the tenant. */
  @ForeignKey(() => App, { name: 'fk_change_comparisons_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt: Date;

  /** Empty: not predicted, and the affected users are not stored yet. */
  @Column('jsonb')
  prediction: Prediction;

  /** The numbers count what users have elsewhere. False since all admins of the app and its tenant see them. */
  @Column('boolean')
  knowsAll: boolean;

  /** What has changed: columns of the tenant; `is_active` and members of `config` of the app. */
  @Column('text', { array: true })
  settings: string[];

  /** Null after the affected users are stored. */
  @Column('jsonb', { nullable: true })
  sides: { readonly before: ChangedSide; readonly after: ChangedSide } | null;

  /** Users by effect, as stored right after the change; null: not yet. */
  @Column('jsonb', { nullable: true })
  found: Prediction | null;

  @Column('jsonb', { nullable: true })
  afterDay: ComparisonResult | null;

  @Column('jsonb', { nullable: true })
  afterWeek: ComparisonResult | null;

  /** One of the same settings has been changed again, which ends the comparison. Written by triggers on apps and tenants. */
  @Column('timestamptz', { nullable: true })
  changedAgainAt: Date | null;
}
