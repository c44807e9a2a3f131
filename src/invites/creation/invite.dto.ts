import { Email, TextList, Uuid, Whole } from '../../common/validation/fields.js';

const MAX_DAYS = 365;

class InviteFields {
  @TextList({
    optional: true,
    max: 100,
    itemMax: 64,
    example: ['user'],
    description: 'Roles from the app’s list; default `user`',
  })
  roles?: string[];

  @Email({
    optional: true,
    nullable: true,
    description: 'Sends the invite to this address by e-mail; it then works only for this address',
  })
  send_to_email?: string | null;

  @Whole({ optional: true, min: 1, max: 100_000, description: 'Default 1' })
  max_uses?: number;

  @Whole({ optional: true, min: 1, max: MAX_DAYS, description: 'Days; default 7' })
  expires_days?: number;
}

/** For the route with the app in the path. A body with a different app is refused. */
export class InviteCreateForApp extends InviteFields {
  @Uuid({ optional: true })
  app_id?: string;
}

export class InviteCreate extends InviteFields {
  @Uuid()
  app_id: string;
}

export class InviteResend {
  @Email({ optional: true, nullable: true, description: 'Default: the address that it was mailed to before' })
  send_to_email?: string | null;

  @Whole({ optional: true, min: 1, max: MAX_DAYS, description: 'Days; default 7' })
  expires_days?: number;
}
