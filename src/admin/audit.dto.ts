import { Matches } from 'class-validator';
import { QueryWhole, Text, Uuid } from '../common/validation/fields.js';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

export class AuditQuery {
  @Uuid({ optional: true })
  tenant_id?: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Uuid({ optional: true })
  user_id?: string;

  @Text({ optional: true, max: 64, example: 'user.login_failed' })
  action?: string;

  @Text({ optional: true, max: 40, description: 'ISO 8601' })
  @Matches(ISO_TIME)
  before?: string;

  @Text({ optional: true, max: 40, description: 'ISO 8601' })
  @Matches(ISO_TIME)
  after?: string;

  @QueryWhole({ min: 1, max: 500, description: 'Default 50' })
  limit?: number;

  @QueryWhole({ min: 1, max: 1_000_000, description: 'Default 1' })
  page?: number;

  @Text({ optional: true, max: 100, description: 'From a Link header: start of the page' })
  cursor?: string;
}
