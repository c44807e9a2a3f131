import { TenantUpdate } from '../../../admin/tenants/tenant.dto.js';
import { AppUpdate } from '../../../apps/settings/app.dto.js';
import { Choice, Flag, Nested, Text, Uuid } from '../../../common/validation/fields.js';
import { PageQuery } from '../../../common/http/pagination/page-query.dto.js';
import { SCHEDULED_STATES, type ScheduledState } from './scheduled-change.entity.js';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const EFFECTIVE_AT = {
  max: 40,
  pattern: TIMESTAMP,
  example: '2026-12-01T08:00:00Z',
  description: 'When the change takes effect: RFC 3339 with a time zone, 5 minutes to a year from now',
};
const LOCK_ME_OUT = {
  optional: true,
  description: 'Confirms that you accept that you, or all administrators of the tenant, can no longer sign in',
};

export class AppSchedule {
  @Text(EFFECTIVE_AT)
  effective_at: string;

  @Nested(() => AppUpdate, {
    description: 'Body of the update. Only policies: no names, addresses, keys, scopes or pictures',
  })
  change: AppUpdate;

  @Flag(LOCK_ME_OUT)
  lock_me_out?: boolean;
}

export class TenantSchedule {
  @Text(EFFECTIVE_AT)
  effective_at: string;

  @Nested(() => TenantUpdate, { description: 'Body of the update. Only policies: no names or addresses' })
  change: TenantUpdate;

  @Flag(LOCK_ME_OUT)
  lock_me_out?: boolean;
}

export class ScheduledChangesQuery extends PageQuery {
  @Uuid({ optional: true })
  tenant_id?: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Choice(SCHEDULED_STATES, { optional: true })
  state?: ScheduledState;
}
