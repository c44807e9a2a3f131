import { Choice, Email, Flag, Text, Whole } from '../common/validation/fields.js';
import { SLUG_PATTERN } from '../tenants/slug.rules.js';
import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../tenants/weak-passwords.js';

export class TenantCreate {
  @Text({ min: 1, max: 200 })
  name: string;

  @Text({ optional: true, min: 1, max: 63, pattern: SLUG_PATTERN, description: 'Made from the name if absent' })
  slug?: string;

  @Flag({ optional: true })
  is_active?: boolean;

  @Whole({ optional: true, min: 8, max: 64 })
  min_password_length?: number;

  @Choice(WEAK_PASSWORD_POLICIES, { optional: true, description: 'Common and easily guessed passwords: default warn' })
  weak_passwords?: WeakPasswordPolicy;

  @Flag({ optional: true })
  require_2fa?: boolean;

  @Email({ optional: true, nullable: true })
  support_email?: string | null;
}

export class TenantUpdate {
  @Text({ optional: true, min: 1, max: 200 })
  name?: string;

  @Text({ optional: true, min: 1, max: 63, pattern: SLUG_PATTERN, description: 'Platform admins only' })
  slug?: string;

  @Flag({ optional: true, description: 'Platform admins only; switches every app of the tenant' })
  is_active?: boolean;

  @Whole({ optional: true, min: 8, max: 64 })
  min_password_length?: number;

  @Choice(WEAK_PASSWORD_POLICIES, { optional: true, description: 'Common and easily guessed passwords: default warn' })
  weak_passwords?: WeakPasswordPolicy;

  @Flag({ optional: true })
  require_2fa?: boolean;

  @Email({ optional: true, nullable: true })
  support_email?: string | null;
}
