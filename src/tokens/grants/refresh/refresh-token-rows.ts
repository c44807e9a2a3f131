import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';

export interface Rotation {
  readonly tokenHash: Buffer;
  readonly childHash: Buffer;
  readonly appId: string;
  readonly deviceId: string | null;
  /** Admission was checked beforehand (for Console apps, where authority decides instead of the enrollment). */
  readonly admitted: boolean;
  /** Thumbprint of the client's DPoP key. */
  readonly jkt: string | null;
}

export interface RotatedRow extends Record<string, unknown> {
  readonly n: number;
  readonly family_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly display_name: string;
  readonly user_updated_at: Date;
  readonly roles: string[];
  readonly tenant_id: string;
  readonly token_lifetime_minutes: number;
  readonly auth_time: Date;
  readonly signed_in_at: Date;
  readonly amr: string[];
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly sid: string | null;
}

export interface BranchedRow extends RotatedRow {
  /** The token has had too many successors, and got no other one. */
  readonly is_exhausted: boolean;
}

export interface PresentedRow extends Record<string, unknown> {
  readonly family_id: string;
  readonly user_id: string;
  readonly app_id: string;
  readonly device_id: string | null;
  readonly is_rotated: boolean;
  readonly revoked_for: FamilyEnd | null;
  readonly user_is_active: boolean;
  readonly status: EnrollmentStatus | null;
  readonly email_missing: boolean;
}

/** A refresh token that can be used now. */
export interface ActiveRefreshToken extends Record<string, unknown> {
  readonly userId: string;
  readonly email: string;
  readonly scope: string | null;
  readonly resource: string | null;
  /** Thumbprint of the key that it is bound to. */
  readonly jkt: string | null;
  /** Enrolled and active. Not required by Console apps. */
  readonly isMember: boolean;
  /** In Unix seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}
