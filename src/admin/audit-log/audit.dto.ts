import { ACTOR_TYPES, type ActorType } from '../../audit/entries/audit-action.js';
import { Choice, Email, QueryWhole, Text, Uuid } from '../../common/validation/fields.js';
import { IsoTime } from '../filters/iso-time.js';

const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Filters of the audit log. */
export class AuditSelectionQuery {
  @Uuid({ optional: true })
  tenant_id?: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Uuid({ optional: true })
  user_id?: string;

  @Uuid({ optional: true, description: 'Entries about this user, and what the user did' })
  person_id?: string;

  @Email({ optional: true, lookUp: true, description: 'Sign-ins with a wrong password for this address' })
  tried_email?: string;

  @Text({ optional: true, max: 64, example: 'user.login_failed' })
  action?: string;

  @Choice(ACTOR_TYPES, { optional: true })
  actor_type?: ActorType;

  @IsoTime()
  before?: string;

  @IsoTime()
  after?: string;
}

export class AuditQuery extends AuditSelectionQuery {
  @QueryWhole({ min: 1, max: 500, description: 'Default 50' })
  limit?: number;

  @QueryWhole({ min: 1, max: 1_000_000, description: 'Default 1' })
  page?: number;

  @Text({ optional: true, max: 100, description: 'Start of the page, from a Link header' })
  cursor?: string;
}

export class AuditExportQuery extends AuditSelectionQuery {
  @Choice(EXPORT_FORMATS, { optional: true, description: 'Default ndjson' })
  format?: ExportFormat;
}
