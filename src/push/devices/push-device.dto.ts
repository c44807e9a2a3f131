import { ApiProperty } from '@nestjs/swagger';
import { Choice, Text, Uuid } from '../../common/validation/fields.js';
import { type Platform, PLATFORMS } from './push-device.entity.js';

export class DeviceRegister {
  @Uuid({ description: 'App that the access token was issued for' })
  app_id: string;

  @Choice(PLATFORMS)
  platform: Platform;

  @Text({
    min: 1,
    max: 4096,
    secret: true,
    description: 'FCM registration token, or for web the push subscription as JSON text; never returned',
  })
  push_token: string;
}

export class RegisteredView {
  @ApiProperty({ format: 'uuid' }) device_id: string;
}

export class DeviceView {
  @ApiProperty({ format: 'uuid' }) device_id: string;
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ enum: [...PLATFORMS] }) platform: Platform;
  @ApiProperty({ format: 'date-time' }) last_seen_at: string;
}

export class DeviceListView {
  @ApiProperty({ type: [DeviceView], description: 'Last seen first' }) devices: DeviceView[];
  @ApiProperty({ description: 'Counted up to 1,000,000; then without X-Total-Count' }) total: number;
}
