import { TextList, Uuid } from '../../../common/validation/fields.js';

export class RolesChange {
  @Uuid()
  app_id: string;

  @TextList({ max: 100, itemMax: 64, example: ['user', 'manager'] })
  roles: string[];
}

export class RolesChangeOfUser extends RolesChange {
  @Uuid()
  user_id: string;
}

export class AppReference {
  @Uuid({ optional: true })
  app_id?: string;
}
