import { ApiProperty } from '@nestjs/swagger';
import { BrandingInput } from '../../../apps/settings/app-branding.dto.js';
import { ConfigInput } from '../../../apps/settings/app.dto.js';
import { REGISTRATION_POLICIES, type RegistrationPolicy } from '../../../apps/app/app-config.js';
import {
  Choice,
  Email,
  Flag,
  LanguageTag,
  Nested,
  NestedList,
  QueryFlag,
  Text,
  TextList,
  Uuid,
  Whole,
} from '../../../common/validation/fields.js';
import { TRANSPORTS } from '../../../auth/credentials/passkeys/ceremonies/credential-json.js';
import { MAX_PASSKEYS_PER_USER, PASSKEY_NAME_LENGTH } from '../../../auth/credentials/passkeys/stored/passkey.rules.js';
import { PROVIDERS, type ProviderName } from '../../../config/provider-settings.js';
import { CLIENT_DOCUMENT_HOST } from '../../../tenants/client-document-hosts.rules.js';
import { AAGUID } from '../../../tenants/aaguid.js';
import { ProtectedResourceInput } from '../../../tenants/protected-resource.dto.js';
import { MAX_RESOURCES } from '../../../tenants/protected-resource.rules.js';
import { SLUG_PATTERN } from '../../../tenants/slug.rules.js';
import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../../../tenants/weak-passwords.js';
import { APP_FORMAT, FORMAT_VERSION, TENANT_FORMAT } from '../../formats/document.js';
import { DISPLAY_NAME_LENGTH } from '../../../users/display-name.rules.js';

/**
 * Fields of an import, with the rules of the endpoints that create the same objects. All other fields of a document
 * (ids, secrets, service_scopes, is_platform_admin, is_console_app) are dropped.
 */
const ENROLLMENT_STATUSES = ['pending', 'active', 'suspended'] as const;

export class ImportedLink {
  @Choice(PROVIDERS)
  provider: ProviderName;

  @Text({ min: 1, max: 255 })
  provider_user_id: string;

  @Email({ optional: true, nullable: true })
  email?: string | null;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

export class ImportedPasskey {
  @Text({ min: 1, max: 253, description: 'Those of another host than that of BASE_URL are left out' })
  rp_id: string;

  @Text({ min: 1, max: 1364, pattern: BASE64URL, description: 'base64url' })
  credential_id: string;

  @Text({ min: 1, max: 2048, pattern: BASE64URL, description: 'COSE_Key, base64url' })
  public_key: string;

  @Whole({ min: 0, max: 4_294_967_295 })
  sign_count: number;

  @Text({ min: 36, max: 36, pattern: AAGUID })
  aaguid: string;

  @TextList({ max: 10, itemMax: 20, choices: TRANSPORTS })
  transports: string[];

  @Flag()
  synced: boolean;

  @Flag()
  backed_up: boolean;

  @Text({ optional: true, nullable: true, min: 1, max: PASSKEY_NAME_LENGTH })
  name?: string | null;
}

export class ImportedPasskeys {
  @Text({ min: 1, max: 86, pattern: BASE64URL, description: 'base64url, at most 64 bytes' })
  user_handle: string;

  @NestedList(() => ImportedPasskey, { max: MAX_PASSKEYS_PER_USER })
  credentials: ImportedPasskey[];
}

export class ImportedUser {
  @Email()
  email: string;

  @Text({ min: 1, max: DISPLAY_NAME_LENGTH })
  display_name: string;

  @Flag({ optional: true, description: 'Platform admins only. Default false' })
  email_verified?: boolean;

  @Text({
    optional: true,
    nullable: true,
    min: 1,
    max: 512,
    secret: true,
    description:
      'Platform admins only. A bcrypt, argon2id, argon2i, scrypt, pbkdf2-sha256 or pbkdf2-sha512 hash as a standard string; ' +
      'replaced by a bcrypt hash at the next sign-in',
  })
  password_hash?: string | null;

  @TextList({ optional: true, max: 100, itemMax: 64, description: 'Default: the app’s auto_assign_roles' })
  roles?: string[];

  @Choice(ENROLLMENT_STATUSES, { optional: true, description: 'Default active' })
  status?: (typeof ENROLLMENT_STATUSES)[number];

  @NestedList(() => ImportedLink, { optional: true, max: 20, description: 'Platform admins only' })
  linked_accounts?: ImportedLink[];

  @Nested(() => ImportedPasskeys, { optional: true, description: 'Platform admins only' })
  passkeys?: ImportedPasskeys;
}

/** An image as a data URI. */
const PICTURE = {
  optional: true,
  nullable: true,
  max: 700_000,
  pattern: /^data:image\/(?:png|jpeg|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/,
} as const;

export class ImportedBranding extends BrandingInput {
  @Text({ ...PICTURE, description: 'An image as a data URI; stored as a PNG of at most 256 pixels' })
  override logo_data?: string | null;

  @Text({ ...PICTURE, description: 'The same for dark pages' })
  override dark_logo_data?: string | null;

  @Text({ ...PICTURE, description: 'Icon of the hosted pages; stored as a PNG of at most 64 pixels' })
  override favicon_data?: string | null;
}

export class ImportedConfig extends ConfigInput {
  @Nested(() => ImportedBranding, { optional: true })
  override branding?: ImportedBranding;
}

export class ImportedApp {
  @Text({ min: 1, max: 200 })
  name: string;

  @Text({
    optional: true,
    min: 1,
    max: 255,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    example: 'com.example.shop',
    description: 'Derived from the name if omitted. console.* is reserved',
  })
  bundle_id?: string;

  @Choice(REGISTRATION_POLICIES, { optional: true })
  registration_policy?: RegistrationPolicy;

  @Flag({ optional: true })
  is_active?: boolean;

  @Nested(() => ImportedConfig, { optional: true, description: 'Any subset; other settings get their defaults' })
  config?: ImportedConfig;
}

export class ImportedTenant {
  @Text({ min: 1, max: 200 })
  name: string;

  @Text({
    optional: true,
    min: 1,
    max: 63,
    pattern: SLUG_PATTERN,
    description: 'Kept if it is free, otherwise a number is added; derived from the name if omitted',
  })
  slug?: string;

  @Flag({ optional: true })
  is_active?: boolean;

  @Whole({ optional: true, min: 8, max: 64 })
  min_password_length?: number;

  @Choice(WEAK_PASSWORD_POLICIES, { optional: true })
  weak_passwords?: WeakPasswordPolicy;

  @Flag({ optional: true })
  require_2fa?: boolean;

  @Flag({ optional: true })
  allow_account_deletion?: boolean;

  @Email({ optional: true, nullable: true })
  support_email?: string | null;

  @LanguageTag()
  default_locale?: string | null;

  @TextList({ optional: true, nullable: true, max: 100, itemMax: 36, itemPattern: AAGUID })
  passkey_aaguids?: string[] | null;

  @Flag({ optional: true })
  offer_passkeys?: boolean;

  @Whole({ optional: true, nullable: true, min: 1, max: 30 })
  passkey_recovery_days?: number | null;

  @NestedList(() => ProtectedResourceInput, { optional: true, max: MAX_RESOURCES })
  resources?: ProtectedResourceInput[];

  @TextList({ optional: true, max: 100, itemMax: 253, itemPattern: CLIENT_DOCUMENT_HOST })
  client_document_hosts?: string[];

  @Flag({ optional: true })
  client_registration?: boolean;
}

/**
 * The body of POST /admin/apps/import. `users` is declared for the OpenAPI document and read in slices
 * (`DocumentReader`).
 */
export class AppImport {
  @Choice([APP_FORMAT], { optional: true })
  format?: string;

  @Whole({ optional: true, min: FORMAT_VERSION, max: FORMAT_VERSION })
  version?: number;

  @Uuid()
  tenant_id: string;

  @Nested(() => ImportedApp)
  app: ImportedApp;

  @ApiProperty({ type: [ImportedUser], required: false })
  users?: ImportedUser[];

  @Flag({
    optional: true,
    description: 'Keeps the bundle_id, and fails if it is taken. Default false: creates a new one',
  })
  preserve_bundle_id?: boolean;
}

/** An app within a tenant, with its users. */
export class ImportedTenantApp extends ImportedApp {
  @ApiProperty({ type: [ImportedUser], required: false })
  users?: ImportedUser[];
}

/** The body of POST /admin/tenants/import. `apps` is declared for the OpenAPI document and read in slices. */
export class TenantImport {
  @Choice([TENANT_FORMAT], { optional: true })
  format?: string;

  @Whole({ optional: true, min: FORMAT_VERSION, max: FORMAT_VERSION })
  version?: number;

  @Nested(() => ImportedTenant)
  tenant: ImportedTenant;

  @ApiProperty({ type: [ImportedTenantApp], required: false, maxItems: 1000 })
  apps?: ImportedTenantApp[];
}

export class ImportQuery {
  @QueryFlag({ description: 'Returns what the import would do, and writes nothing. Default false' })
  dry_run?: boolean;
}
