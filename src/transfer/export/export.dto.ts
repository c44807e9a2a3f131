import { QueryFlag } from '../../common/validation/fields.js';

export class ExportQuery {
  @QueryFlag({ description: 'Default false' })
  include_users?: boolean;

  @QueryFlag({
    description: 'Password hashes as standard strings; platform admins only, after a recent sign-in. Default false',
  })
  include_credentials?: boolean;
}
