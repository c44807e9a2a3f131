import { ApiProperty } from '@nestjs/swagger';
import { Dict, Flag, Text, Whole } from '../../common/validation/fields.js';

export class PushConfigUpdate {
  @Flag({ optional: true })
  enabled?: boolean;

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    description: 'HTTPS URL that receives signed delivery events. null: none',
  })
  webhook_url?: string | null;

  @Whole({ optional: true, min: 0, max: 10_000_000, description: 'Notifications per UTC day; default 1000' })
  daily_quota?: number;

  @Dict({
    optional: true,
    nullable: true,
    description:
      'Firebase service account (JSON) for FCM. Write only; `token_uri` is ignored. null: the one of the platform, if there is one',
  })
  fcm_service_account?: Record<string, unknown> | null;
}

export class PushConfigView {
  @ApiProperty() enabled: boolean;
  @ApiProperty({ type: String, nullable: true }) webhook_url: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Standard Webhooks, `whsec_…`; created when push is first enabled',
  })
  webhook_secret: string | null;
  @ApiProperty() daily_quota: number;
  @ApiProperty({ type: String, nullable: true, description: 'applicationServerKey for web push' })
  vapid_public_key: string | null;
  @ApiProperty({ description: 'Whether a service account for FCM is configured' }) fcm_configured: boolean;
  @ApiProperty({ description: 'The receiver answered 410. Set webhook_url to turn the webhook on again' })
  webhook_disabled: boolean;
  @ApiProperty({
    required: false,
    type: [String],
    enum: ['webhook_secret', 'vapid_private_key', 'fcm_account'],
    description:
      'Only where stored secrets cannot be decrypted. Set `fcm_service_account` again, regenerate the webhook secret, or ' +
      'turn push off and on (`enabled`) for a new webhook secret or VAPID key pair. Browsers must subscribe again to a new key pair',
  })
  unreadable_secrets?: string[];
}

export class PushOverviewView extends PushConfigView {
  @ApiProperty({ description: 'Counted up to 1,000,000' }) device_count: number;
  @ApiProperty({ description: 'Notifications since midnight UTC, which count against daily_quota' })
  notifications_today: number;
}

export class VapidView {
  @ApiProperty() vapid_public_key: string;
}
