import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';

/**
 * The tenant of a protected resource. Tokens of all tenants have the same issuer, and an API identifies its own tokens
 * by `aud`, so no other tenant may get tokens for it. A trigger on `tenants` writes the rows.
 */
@Entity('protected_resource_names')
@Index('ix_protected_resource_names_tenant', ['tenantId'])
export class ProtectedResourceName {
  /** Normalized by `comparedIdentifier`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_protected_resource_names' })
  identifier: string;

  @ForeignKey(() => Tenant, { name: 'fk_protected_resource_names_tenant', onDelete: 'CASCADE' })
  @Column('uuid')
  tenantId: string;
}
