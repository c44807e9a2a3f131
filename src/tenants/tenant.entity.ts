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

  /** What happens with common and context passwords. */
  @Column('text', { default: 'block' })
  weakPasswords: WeakPasswordPolicy;

  @Column('boolean', { name: 'require_2fa', default: false })
  require2fa: boolean;

  /** Whether users may delete their own account. All tenants of a user must allow it. */
  @Column('boolean', { default: false })
  allowAccountDeletion: boolean;

  @Column('text', { nullable: true })
  supportEmail: string | null;

  /** Language tag (BCP 47) for users who have not chosen a language, nor has their browser; null: English. */
  @Column('text', { nullable: true })
  defaultLocale: string | null;

  /** AAGUIDs of the authenticators whose passkeys count here, in lower case with dashes; null: every one. */
  @Column('text', { array: true, nullable: true })
  passkeyAaguids: string[] | null;

  /** Users of its apps are offered a passkey after a sign-in with a password. */
  @Column('boolean', { default: false })
  offerPasskeys: boolean;

  /** So long users who have lost all passkeys wait, where two factors are demanded; null: an administrator helps. */
  @Column('integer', { nullable: true })
  passkeyRecoveryDays: number | null;

  /** APIs that its apps get tokens for. */
  @Column('jsonb', { default: [] })
  resources: ProtectedResource[];

  /** Hosts whose clients may register themselves by a document; `*`: every host. */
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
