import { Email, Uuid } from '../../common/validation/fields.js';

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
