import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { App } from '../../../apps/app/app.entity.js';
import { User } from '../../../users/user.entity.js';

/** A user's consent to an app that is not their tenant's own. */
@Entity('consents')
@Index('ix_consents_app', ['appId'])
export class Consent {
  @ForeignKey(() => User, { name: 'fk_consents_user', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_consents' })
  userId: string;

  @ForeignKey(() => App, { name: 'fk_consents_app', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_consents' })
  appId: string;

  /** Identifier of the protected resource (RFC 8707); empty: the app itself. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_consents' })
  resource: string;

  /** Scopes that tokens may have. */
  @Column('text', { array: true })
  scopes: string[];

  /** Scopes that the user was asked for. They refused those that are not in `scopes`. */
  @Column('text', { array: true })
  asked: string[];

  @Column('timestamptz', { default: () => 'now()' })
  grantedAt: Date;
}
