import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import type { ActingAs } from '../../common/request-context.js';
import { Tenant } from '../../tenants/tenant.entity.js';
import { User } from '../../users/user.entity.js';

/** `planned` waits for the confirmation of its creator; `queued` and `running` belong to the worker. */
export type TaskStatus = 'planned' | 'queued' | 'running' | 'done' | 'failed';

/** Work that an operator started and that outlasts their request, with its result and the impersonation, if any. */
@Entity('operator_tasks')
@Index('ix_operator_tasks_started_by', ['startedBy', 'createdAt'])
@Index('ix_operator_tasks_created', ['createdAt'])
@Index('ix_operator_tasks_expires', ['expiresAt'])
@Index('ix_operator_tasks_tenant', ['tenantId'])
@Index('ix_operator_tasks_app', ['appId'])
@Check('ck_operator_tasks_status', `status IN ('planned', 'queued', 'running', 'done', 'failed')`)
@Check('ck_operator_tasks_finished', `(finished_at IS NOT NULL) = (status IN ('done', 'failed'))`)
@Check('ck_operator_tasks_document', 'sealed_document IS NULL OR finished_at IS NULL')
@Check('ck_operator_tasks_acting', '(acting_as IS NULL) = (acting_until IS NULL)')
export class OperatorTask {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_operator_tasks' })
  id: string;

  /** Kind of the {@link TaskRunner}. */
  @Column('text')
  kind: string;

  @Column('text')
  status: TaskStatus;

  @ForeignKey(() => User, { name: 'fk_operator_tasks_started_by', onDelete: 'CASCADE' })
  @Column('uuid')
  startedBy: string;

  /** Authentication methods of the operator's sign-in (RFC 8176). They are checked again while the task runs. */
  @Column('text', { array: true })
  amr: string[];

  /**
   * Version of the account's credentials when the task was created: the task ends when it changes. Null: created by an
   * earlier version of the service.
   */
  @Column('integer', { nullable: true })
  credentialsVersion: number | null;

  @Column('jsonb', { nullable: true })
  actingAs: ActingAs | null;

  /** The task ends when the impersonation in which it was started ends. */
  @Column('timestamptz', { nullable: true })
  actingUntil: Date | null;

  /** From the request that created it, for the audit entries, as are the next two. */
  @Column('text')
  requestId: string;

  @Column('text', { nullable: true })
  ipAddress: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @ForeignKey(() => Tenant, { name: 'fk_operator_tasks_tenant', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  tenantId: string | null;

  @ForeignKey(() => App, { name: 'fk_operator_tasks_app', onDelete: 'CASCADE' })
  @Column('uuid', { nullable: true })
  appId: string | null;

  /** What the task does, depending on its kind. Contains neither secrets nor users. */
  @Column('jsonb')
  details: Readonly<Record<string, unknown>>;

  /** Input of the task, until it ends. Large, so it is only read on request. */
  @Column('text', { nullable: true, select: false })
  sealedDocument: string | null;

  /** Secrets that may be shown once. */
  @Column('text', { nullable: true, select: false })
  sealedSecrets: string | null;

  @Column('integer')
  total: number;

  @Column('integer', { default: 0 })
  done: number;

  @Column('integer', { default: 0 })
  failed: number;

  /** Why the task failed or stopped. */
  @Column('text', { nullable: true })
  problem: string | null;

  /** The result, depending on the kind. */
  @Column('jsonb', { nullable: true })
  outcome: Readonly<Record<string, unknown>> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** A plan can be started until then; any other task is deleted after it. */
  @Column('timestamptz')
  expiresAt: Date;
}
