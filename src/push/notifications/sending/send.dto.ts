import { ApiProperty } from '@nestjs/swagger';
import { Dict, NestedList, Text, Uuid, UuidList, Whole } from '../../../common/validation/fields.js';

export const MAX_TARGETS = 500;
/** Four weeks: the longest time for which FCM and web push store anything. */
export const MAX_TTL_SECONDS = 2_419_200;

class MessageFields {
  @Text({ min: 1, max: 256 })
  title: string;

  @Text({ min: 1, max: 4096 })
  body: string;

  @Dict({ optional: true, nullable: true, description: 'At most 4096 bytes of JSON' })
  data?: Record<string, unknown> | null;

  @Whole({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_TTL_SECONDS,
    description: 'Seconds; default four weeks. 0: one attempt only',
  })
  ttl?: number | null;
}

export class SendRequest extends MessageFields {
  @Uuid()
  user_id: string;
}

export class BulkRequest extends MessageFields {
  @UuidList({ min: 1, max: MAX_TARGETS })
  user_ids: string[];
}

export class BatchRequest {
  @NestedList(() => SendRequest, { min: 1, max: MAX_TARGETS })
  notifications: SendRequest[];
}

export class NotificationSentView {
  @ApiProperty({ format: 'uuid' }) notification_id: string;
}

export class BulkSentView {
  @ApiProperty({ type: [String], format: 'uuid', description: 'In the order of `user_ids`' })
  notification_ids: string[];
}

class BatchResultView {
  @ApiProperty() index: number;
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) notification_id: string;
  @ApiProperty({ enum: ['queued'] }) status: 'queued';
}

export class BatchSentView {
  @ApiProperty({ type: [String], format: 'uuid' }) notification_ids: string[];
  @ApiProperty({ type: [BatchResultView] }) results: BatchResultView[];
}

export class NotificationView {
  @ApiProperty({ format: 'uuid' }) notification_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty() title: string;
  @ApiProperty() body: string;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) data: Record<string, unknown> | null;
  @ApiProperty({ description: 'Seconds' }) ttl: number;
  @ApiProperty({ enum: ['queued', 'sent', 'partial', 'failed', 'no_devices', 'expired'] }) status: string;
  @ApiProperty() device_count: number;
  @ApiProperty() delivered_count: number;
  @ApiProperty() failed_count: number;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) completed_at: string | null;
}
