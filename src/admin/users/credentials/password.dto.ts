import { Text } from '../../../common/validation/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';

export class PasswordChangeRequest {
  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  new_password: string;
}
