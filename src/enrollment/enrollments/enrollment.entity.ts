import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { User } from '../../users/user.entity.js';

export type EnrollmentStatus = 'pending' | 'active' | 'suspended';

@Entity('enrollments')
@Index('ix_enrollments_app', ['appId', 'createdAt', 'userId'])
@Index('ix_enrollments_tenant_people', ['tenantId', 'userCreatedAt', 'userId'])
@Index('ix_enrollments_app_people', ['appId', 'userCreatedAt', 'userId'])
@Index('ix_enrollments_status', ['status', 'userCreatedAt', 'userId'])
@Index('ix_enrollments_tenant_status', ['tenantId', 'status', 'userCreatedAt', 'userId'])
@Index('ix_enrollments_app_status', ['appId', 'status', 'userCreatedAt', 'userId'])
@Index('ix_enrollments_pending', ['createdAt', 'appId', 'userId'], { where: "status = 'pending'" })
@Index('ix_enrollments_tenant_pending', ['tenantId', 'createdAt', 'appId', 'userId'], { where: "status = 'pending'" })
@Index('ix_enrollments_app_pending', ['appId', 'createdAt', 'userId'], { where: "status = 'pending'" })
@Check('ck_enrollments_status', "status IN ('pending', 'active', 'suspended')")
@Check('ck_enrollments_role_user', "'user' = ANY (roles)")
export class Enrollment {
  @ForeignKey(() => User, { name: 'fk_enrollments_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_enrollments' })
  userId: string;

  @ForeignKey(() => App, { name: 'fk_enrollments_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_enrollments' })
  appId: string;

  /** The app's tenant, copied by a trigger, so that one index serves lists of a tenant's users. */
  @Column({ type: 'uuid', nullable: true, select: false, insert: false, update: false })
  tenantId?: string;

  /** The creation time of the user, copied by a trigger for the same reason. */
  @Column({ type: 'timestamptz', nullable: true, select: false, insert: false, update: false })
  userCreatedAt?: Date;

  /** Always contains `user`. */
  @Column('text', { array: true })
  roles: string[];

  @Column('text')
  status: EnrollmentStatus;

  /** Message of a pending request for access. A trigger removes it with the decision. */
  @Column('text', { nullable: true })
  requestMessage: string | null;

  /** Refresh token families that began earlier are invalid, also after a reactivation. */
  @Column('timestamptz', { default: () => "'-infinity'", select: false })
  tokensValidFrom: Date;

  @Column('timestamptz', { nullable: true })
  lastLoginAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
