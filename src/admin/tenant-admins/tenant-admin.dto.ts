import { Email, QueryWhole, Uuid } from '../../common/validation/fields.js';

/** One of the two. */
export class TenantAdminAssign {
  @Email({
    optional: true,
    description: 'A verified account becomes an admin at once; any other address gets an invitation by e-mail',
  })
  email?: string;

  @Uuid({ optional: true, description: 'Enrolled at once' })
  user_id?: string;
}

export class TenantAdminListQuery {
  @QueryWhole({ min: 1, max: 1_000_000_000, description: 'Default 1' })
  page?: number;

  @QueryWhole({ min: 1, max: 200, description: 'Default 50 with `page`; without both, everything up to 1,000' })
  limit?: number;
}
