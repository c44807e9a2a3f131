import type { AppBranding, AppConfig, RegistrationPolicy } from '../../../apps/app/app-config.js';
import type { Pictures } from '../../../apps/settings/app-pictures.js';
import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import type { TransferredLink } from '../../formats/transferred-link.js';
import type { TransferredPasskeys } from '../../formats/transferred-passkeys.js';
import type { ImportedTenant } from './import.dto.js';

/** A document that has been read and validated. The planner compares it with the database. */
export interface ImportDocument {
  /** Null: an app for an existing tenant. */
  readonly tenant: ImportedTenant | null;
  readonly apps: readonly DocumentApp[];
  /** By canonical address. A user in several apps is one account. */
  readonly accounts: ReadonlyMap<string, DocumentAccount>;
}

export interface DocumentApp {
  readonly name: string;
  readonly bundleId: string | null;
  readonly registrationPolicy: RegistrationPolicy;
  readonly isActive: boolean;
  readonly config: AppConfig;
  readonly branding: AppBranding;
  readonly pictures: Pictures;
  readonly members: readonly DocumentMember[];
}

export interface DocumentMember {
  readonly emailCanonical: string;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
}

export interface DocumentAccount {
  readonly email: string;
  readonly displayName: string;
  readonly emailVerified: boolean;
  /** In the stored format. */
  readonly passwordHash: string | null;
  readonly links: readonly TransferredLink[];
  /** Null: none. */
  readonly passkeys: TransferredPasskeys | null;
}
