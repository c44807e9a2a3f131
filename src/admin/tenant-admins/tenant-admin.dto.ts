import { Email, QueryWhole, Uuid } from '../../common/validation/fields.js';

/** Exactly one of the two. */
export class TenantAdminAssign {
  @Email({
    optional: true,
    description:
      'A verified user whom you can see becomes an admin immediately; any other address gets an invite by e-mail',
  })
  email?: string;

  @Uuid({ optional: true, description: 'User to enroll immediately' })
  user_id?: string;
}

export class TenantAdminListQuery {
  @QueryWhole({ min: 1, max: 1_000_000_000, description: 'Default 1' })
  page?: number;

  @QueryWhole({
    min: 1,
    max: 200,
    description: 'Default 50 if you send `page`; without either, everything up to 1,000',
  })
  limit?: number;
}
