import { ApiProperty } from '@nestjs/swagger';
import { Email, Text, Uuid } from '../../common/validation/fields.js';
import { DISPLAY_NAME_LENGTH } from '../../users/display-name.rules.js';
import { MAX_PASSWORD_LENGTH } from '../../users/passwords/password.rules.js';

const MAX_CODE_LENGTH = 64;
export const MAX_MESSAGE_LENGTH = 1000;

export class AcceptInviteRequest {
  @Uuid()
  app_id: string;

  @Text({ min: 1, max: MAX_CODE_LENGTH, description: 'Case, spaces and hyphens do not matter' })
  invite_code: string;

  @Email({ optional: true, nullable: true, description: 'For a new account only' })
  email?: string | null;

  @Text({ optional: true, nullable: true, min: 1, max: DISPLAY_NAME_LENGTH, description: 'For a new account' })
  display_name?: string | null;

  @Text({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_PASSWORD_LENGTH,
    secret: true,
    description: 'For a new account; omit it to create an account without a password',
  })
  password?: string | null;

  @Text({ optional: true, nullable: true, max: 256 })
  device_id?: string | null;
}

export class RedeemInviteRequest {
  @Text({ min: 1, max: MAX_CODE_LENGTH })
  invite_code: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Email()
  email: string;

  @Text({ min: 1, max: DISPLAY_NAME_LENGTH })
  display_name: string;

  @Text({ optional: true, nullable: true, min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  password?: string | null;

  @Text({ optional: true, nullable: true, max: 256 })
  device_id?: string | null;
}

export class AccessRequest {
  @Uuid()
  app_id: string;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_MESSAGE_LENGTH,
    description: 'Shown to the administrator who decides',
  })
  message?: string | null;
}

export class AccessRequestView {
  @ApiProperty({ enum: ['active', 'pending'] }) status: 'active' | 'pending';
}
