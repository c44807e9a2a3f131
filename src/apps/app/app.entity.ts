import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Tenant } from '../../tenants/tenant.entity.js';
import { ClientRegistration } from './client-registration.entity.js';
import type { AppOrigin } from './app-origin.rules.js';
import type { AppBranding, AppConfig, RegistrationPolicy } from './app-config.js';

/**
 * Columns with pictures: data URIs of up to 90 KB each. Lists of apps do not read them (`ListedApp`).
 */
export const PICTURE_COLUMNS = ['logoData', 'darkLogoData', 'faviconData', 'logoCopy'] as const;

export const NO_PICTURES = { logoData: null, darkLogoData: null, faviconData: null, logoCopy: null } as const;

/** An app as lists return it. */
export type ListedApp = Omit<App, (typeof PICTURE_COLUMNS)[number]>;

@Entity('apps')
@Unique('uq_apps_bundle_id', ['bundleId'])
@Unique('uq_apps_metadata_url', ['tenantId', 'metadataUrl'])
@Unique('uq_apps_registration', ['tenantId', 'registrationId'])
@Index('ix_apps_registration', ['registrationId'], { where: 'registration_id IS NOT NULL' })
@Index('ix_apps_metadata_url', ['metadataUrl'], { where: 'metadata_url IS NOT NULL' })
@Index('ix_apps_tenant', ['tenantId', 'createdAt'])
@Index('uq_apps_console', ['tenantId'], { unique: true, where: 'is_console_app' })
// The database also checks the type of every member of `config` and `branding`: see migration 1764400000000.
@Check('ck_apps_config', "jsonb_typeof(config) = 'object'")
@Check('ck_apps_branding', "jsonb_typeof(branding) = 'object'")
@Check('ck_apps_registration_policy', "registration_policy IN ('open', 'approval', 'invite')")
// Limits on self-registered clients: see migration 1764970000000.
@Check('ck_apps_self_registered', "origin = 'operator' OR NOT is_console_app")
@Check('ck_apps_self_registered_policy', "origin = 'operator' OR registration_policy = 'invite'")
@Check(
  'ck_apps_registration',
  "(origin = 'dynamic_registration') = (registration_id IS NOT NULL) AND (claimed_name IS NULL OR origin = 'dynamic_registration')",
)
@Check('ck_apps_origin', "origin IN ('operator', 'metadata_document', 'dynamic_registration')")
@Check('ck_apps_archived', 'archived_at IS NULL OR NOT (is_active OR off_with_tenant OR is_console_app)')
export class App {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_apps' })
  id: string;

  @ForeignKey(() => Tenant, { name: 'fk_apps_tenant', onDelete: 'RESTRICT' })
  @Column('uuid')
  tenantId: string;

  @Column('text')
  name: string;

  @Column('text')
  bundleId: string;

  @Column('text', { default: 'invite' })
  registrationPolicy: RegistrationPolicy;

  @Column('boolean', { default: true })
  isActive: boolean;

  /** Switched off together with the tenant. Switching the tenant on switches it on again. */
  @Column('boolean', { default: false })
  offWithTenant: boolean;

  /** Hidden from lists and switched off; null: not archived. */
  @Column('timestamptz', { nullable: true })
  archivedAt: Date | null;

  @Column('boolean', { default: false })
  isConsoleApp: boolean;

  /** See `isSelfRegistered`. */
  @Column('text', { default: 'operator' })
  origin: AppOrigin;

  /**
   * URL of the client's metadata document, which is its public `client_id`
   * (draft-ietf-oauth-client-id-metadata-document).
   */
  @Column('text', { nullable: true })
  metadataUrl: string | null;

  /** Refers to the metadata that the client registered by a request (RFC 7591): see `ownClientId`. */
  @ForeignKey(() => ClientRegistration, { name: 'fk_apps_registration' })
  @Column('uuid', { nullable: true })
  registrationId: string | null;

  /** Name that a client claims which registered by a request. Pages must show it as a claim. */
  @Column('text', { nullable: true })
  claimedName: string | null;

  /**
   * Until then, the metadata document counts as current. For a client that registered by a request: until a sign-in
   * records again that it is used.
   */
  @Column('timestamptz', { nullable: true })
  metadataExpiresAt: Date | null;

  /** SHA-256 of the client secret. */
  @Column('bytea')
  clientSecretHash: Buffer;

  /**
   * The current secret was created by a user who governs the app but not its tenant. The app must not get tenant-wide
   * scopes with it (docs/decisions/0015).
   */
  @Column('boolean', { default: false })
  secretKnownToAppAdmin: boolean;

  /** The same for the keys in `config`, with which the app authenticates instead of a secret. */
  @Column('boolean', { default: false })
  keysSetByAppAdmin: boolean;

  /** When the secret or the keys were last replaced; null: never. Set by the database. */
  @Column('timestamptz', { nullable: true, select: false })
  credentialsChangedAt: Date | null;

  @Column('text', { array: true })
  serviceScopes: string[];

  @Column('jsonb')
  config: AppConfig;

  @Column('jsonb')
  branding: AppBranding;

  /** Uploaded logo as a data URI. Not in `branding`, so that frequent reads of the config do not load it. */
  @Column('text', { nullable: true })
  logoData: string | null;

  /** Logo for the dark theme, as `logoData`. */
  @Column('text', { nullable: true })
  darkLogoData: string | null;

  /** Icon of the hosted pages, as `logoData`. */
  @Column('text', { nullable: true })
  faviconData: string | null;

  /**
   * The service's copy of the picture at `branding.logo_url`, as a data URI; null until it is fetched. Belongs to the
   * current address.
   */
  @Column('text', { nullable: true })
  logoCopy: string | null;

  @Column('boolean', { default: false })
  pushEnabled: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
