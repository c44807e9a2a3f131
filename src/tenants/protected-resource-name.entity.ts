import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';

/**
 * Whose a resource is. Tokens of all tenants have one issuer, so that an API knows its own by `aud`: no other tenant may have tokens
 * made for it. A trigger on `tenants` writes the rows.
 */
@Entity('protected_resource_names')
@Index('ix_protected_resource_names_tenant', ['tenantId'])
export class ProtectedResourceName {
  /** In the form of `comparedIdentifier`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_protected_resource_names' })
  identifier: string;

  @ForeignKey(() => Tenant, { name: 'fk_protected_resource_names_tenant', onDelete: 'CASCADE' })
  @Column('uuid')
  tenantId: string;
}
