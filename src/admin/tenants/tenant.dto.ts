import { Choice, Email, Flag, LanguageTag, NestedList, Text, TextList, Whole } from '../../common/validation/fields.js';
import { AAGUID } from '../../tenants/aaguid.js';
import { CLIENT_DOCUMENT_HOST } from '../../tenants/client-document-hosts.rules.js';
import { ProtectedResourceInput } from '../../tenants/protected-resource.dto.js';
import { MAX_RESOURCES } from '../../tenants/protected-resource.rules.js';
import { SLUG_PATTERN } from '../../tenants/slug.rules.js';
import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../../tenants/weak-passwords.js';

const PASSKEY_MODELS =
  'Authenticator models (AAGUIDs in lower case) whose passkeys count at its apps. null: every model';

const OFFER_PASSKEYS =
  'Offers users without a passkey to create one after a sign-in with a password, at apps with `passkey` in allowed_providers';

const PASSKEY_RECOVERY =
  'Days that users who have lost all passkeys wait before they can set up another second factor. null: an administrator removes the passkeys';

const CLIENT_DOCUMENT_HOSTS =
  'Hosts whose clients can register themselves with a metadata document; `*` means every host. Default: none';

const CLIENT_REGISTRATION =
  'Clients can register themselves with a request (RFC 7591), without a secret, for the protected resources of the tenant. Default false';

const RESOURCES = 'APIs that apps of the tenant can get tokens for (RFC 8707). The list is replaced as a whole';

/** Settings that are the same in new and in changed tenants. */
class TenantSettingsInput {
  @Whole({ optional: true, min: 8, max: 64 })
  min_password_length?: number;

  @Choice(WEAK_PASSWORD_POLICIES, { optional: true, description: 'Common and easily guessed passwords: default block' })
  weak_passwords?: WeakPasswordPolicy;

  @Flag({ optional: true })
  require_2fa?: boolean;

  @Flag({ optional: true, description: 'Users can delete their own account. Default false' })
  allow_account_deletion?: boolean;

  @Email({ optional: true, nullable: true })
  support_email?: string | null;

  @LanguageTag({ description: 'Language of pages and e-mails for users who have not chosen one. null means English' })
  default_locale?: string | null;

  @TextList({ optional: true, nullable: true, max: 100, itemMax: 36, itemPattern: AAGUID, description: PASSKEY_MODELS })
  passkey_aaguids?: string[] | null;

  @Flag({ optional: true, description: OFFER_PASSKEYS })
  offer_passkeys?: boolean;

  @Whole({ optional: true, nullable: true, min: 1, max: 30, description: PASSKEY_RECOVERY })
  passkey_recovery_days?: number | null;

  @NestedList(() => ProtectedResourceInput, { optional: true, max: MAX_RESOURCES, description: RESOURCES })
  resources?: ProtectedResourceInput[];

  @TextList({
    optional: true,
    max: 100,
    itemMax: 253,
    itemPattern: CLIENT_DOCUMENT_HOST,
    description: CLIENT_DOCUMENT_HOSTS,
  })
  client_document_hosts?: string[];

  @Flag({ optional: true, description: CLIENT_REGISTRATION })
  client_registration?: boolean;
}

export class TenantCreate extends TenantSettingsInput {
  @Text({ min: 1, max: 200 })
  name: string;

  @Text({ optional: true, min: 1, max: 63, pattern: SLUG_PATTERN, description: 'Derived from the name if omitted' })
  slug?: string;

  @Flag({ optional: true })
  is_active?: boolean;

  @Email({
    optional: true,
    description:
      'E-mail address of the first admin. A verified account becomes an admin immediately; any other address gets an invite',
  })
  admin_email?: string;
}

export class TenantUpdate extends TenantSettingsInput {
  @Text({ optional: true, min: 1, max: 200 })
  name?: string;

  @Text({ optional: true, min: 1, max: 63, pattern: SLUG_PATTERN, description: 'Platform admins only' })
  slug?: string;

  @Flag({ optional: true, description: 'Platform admins only; also switches every app of the tenant' })
  is_active?: boolean;
}
