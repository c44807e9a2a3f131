import { QueryFlag } from '../../common/validation/fields.js';

export class ExportQuery {
  @QueryFlag({ description: 'Default false' })
  include_users?: boolean;

  @QueryFlag({
    description:
      'Includes password hashes as standard strings. Platform admins only, after a recent sign-in. Default false',
  })
  include_credentials?: boolean;
}
