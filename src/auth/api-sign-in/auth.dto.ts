import { ApiProperty } from '@nestjs/swagger';
import { Email, Text, Uuid } from '../../common/validation/fields.js';
import { DISPLAY_NAME_LENGTH } from '../../users/display-name.rules.js';
import { MAX_PASSWORD_LENGTH } from '../../users/passwords/password.rules.js';

export class SignUpRequest {
  @Email({ example: 'ada@example.com' })
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

  @Uuid()
  app_id: string;

  @Text({ optional: true, nullable: true, max: 256 })
  device_id?: string | null;
}

export class PendingApprovalView {
  @ApiProperty({ enum: ['pending_approval'] }) status: 'pending_approval';
}

export class LoginRequest {
  @Email({ example: 'ada@example.com', lookUp: true })
  email: string;

  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  password: string;

  @Uuid()
  app_id: string;

  @Text({
    optional: true,
    nullable: true,
    max: 256,
    description: 'A stable id of the client; the refresh tokens are bound to it',
  })
  device_id?: string | null;
}
