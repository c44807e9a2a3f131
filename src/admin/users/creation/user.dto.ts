import { Email, Flag, Text, TextList, Uuid } from '../../../common/validation/fields.js';
import { PageQuery } from '../../../common/http/pagination/page-query.dto.js';
import { DISPLAY_NAME_LENGTH } from '../../../users/display-name.rules.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';

export class UserCreate {
  @Email()
  email: string;

  @Text({ min: 1, max: DISPLAY_NAME_LENGTH })
  display_name: string;

  @Text({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_PASSWORD_LENGTH,
    secret: true,
    description: 'Omit it to create an account without a password',
  })
  password?: string | null;

  @Flag({ optional: true, description: 'Platform admins only' })
  is_platform_admin?: boolean;

  @Flag({ optional: true, description: 'Platform admins only; true by default for them' })
  email_verified?: boolean;

  @Uuid({
    optional: true,
    description: 'Also enrolls the user in this app; service tokens enroll users in their own app',
  })
  app_id?: string;

  @TextList({
    optional: true,
    max: 100,
    itemMax: 64,
    description: 'Default: the app’s auto_assign_roles. A service token cannot give admin or manager',
  })
  roles?: string[];
}

export class UserUpdate {
  @Text({ min: 1, max: DISPLAY_NAME_LENGTH })
  display_name: string;
}

export class UserListQuery extends PageQuery {
  @Text({
    optional: true,
    max: 254,
    description:
      'Words of the name or their beginnings, a part of the e-mail address, or at least the first 8 digits of the id. If very ' +
      'many names match, a page can be short: follow the Link header',
  })
  search?: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Text({ optional: true, max: 100, description: 'Start of the page, from a Link header' })
  cursor?: string;
}

export class UserSearchQuery {
  @Text({ optional: true, max: 254, description: 'Beginning of the e-mail address' })
  q?: string;
}
