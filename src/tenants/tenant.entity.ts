import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProtectedResource } from './protected-resource.rules.js';
import type { WeakPasswordPolicy } from './weak-passwords.js';

@Entity('tenants')
@Unique('uq_tenants_slug', ['slug'])
@Index('uq_tenants_platform', ['isPlatform'], { unique: true, where: 'is_platform' })
@Check('ck_tenants_min_password_length', 'min_password_length BETWEEN 8 AND 64')
@Check('ck_tenants_weak_passwords', "weak_passwords IN ('off', 'warn', 'block')")
export class Tenant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tenants' })
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  slug: string;

  @Column('boolean', { default: true })
  isActive: boolean;

  /** The reserved tenant of the platform Console app. */
  @Column('boolean', { default: false })
  isPlatform: boolean;

  @Column('integer', { default: 8 })
  minPasswordLength: number;

  /** What happens with passwords that are common, from a breach, or made of words of the user, the tenant or an app. */
  @Column('text', { default: 'block' })
  weakPasswords: WeakPasswordPolicy;

  @Column('boolean', { name: 'require_2fa', default: false })
  require2fa: boolean;

  /** Whether users may delete their own account. All tenants of a user must allow it. */
  @Column('boolean', { default: false })
  allowAccountDeletion: boolean;

  @Column('text', { nullable: true })
  supportEmail: string | null;

  /** Language tag (BCP 47) if neither the user nor the browser has chosen a language; null: English. */
  @Column('text', { nullable: true })
  defaultLocale: string | null;

  /** AAGUIDs of the authenticators whose passkeys the tenant accepts, in lower case with dashes; null: all. */
  @Column('text', { array: true, nullable: true })
  passkeyAaguids: string[] | null;

  /** Whether users of its apps are offered a passkey after a sign-in with a password. */
  @Column('boolean', { default: false })
  offerPasskeys: boolean;

  /** Days that users who have lost all passkeys wait, if two factors are required; null: an administrator must help. */
  @Column('integer', { nullable: true })
  passkeyRecoveryDays: number | null;

  /** APIs for which its apps get tokens. */
  @Column('jsonb', { default: [] })
  resources: ProtectedResource[];

  /** Hosts of metadata documents from which clients are accepted; `*`: every host. */
  @Column('text', { array: true, default: [] })
  clientDocumentHosts: string[];

  /** Whether clients may register themselves by a request (RFC 7591). */
  @Column('boolean', { default: false })
  clientRegistration: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
