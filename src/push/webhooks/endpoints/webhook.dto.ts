import { ApiProperty } from '@nestjs/swagger';
import { Choice } from '../../../common/validation/fields.js';
import { PageQuery } from '../../../common/http/pagination/page-query.dto.js';
import { WEBHOOK_STATUSES, type WebhookStatus } from '../messages/webhook-message.entity.js';

export class WebhookListQuery extends PageQuery {
  @Choice(WEBHOOK_STATUSES, { optional: true })
  status?: WebhookStatus;
}

export class WebhookAttemptView {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status' }) status: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Reason in one word; null if the message was received' })
  error: string | null;
}

export class WebhookMessageView {
  @ApiProperty({
    description: 'The value of the header `webhook-id`',
    example: 'msg_0190a5d2-7c1e-7cc3-8a3e-0f6f5f9b1c11',
  })
  id: string;
  @ApiProperty({ example: 'push.delivered' }) type: string;
  @ApiProperty({ enum: [...WEBHOOK_STATUSES] }) status: WebhookStatus;
  @ApiProperty() attempts: number;
  @ApiProperty({ type: 'integer', nullable: true }) last_status: number | null;
  @ApiProperty({ type: String, nullable: true }) last_error: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) next_attempt_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) completed_at: string | null;
  @ApiProperty({ type: [WebhookAttemptView], description: 'The last attempts, oldest first' })
  history: WebhookAttemptView[];
}

export class WebhookListView {
  @ApiProperty({ type: [WebhookMessageView], description: 'Newest first' }) messages: WebhookMessageView[];
  @ApiProperty({ description: 'Counted up to 10,000' }) total: number;
}

export class WebhookQueuedView {
  @ApiProperty({ description: 'The value of the header `webhook-id`' }) id: string;
  @ApiProperty({ example: 'queued' }) status: string;
}

export class WebhookReplayedView {
  @ApiProperty({ type: 'integer', description: 'Number of messages that are sent again' }) replayed: number;
}

export class WebhookSecretView {
  @ApiProperty({ description: 'Standard Webhooks, `whsec_…`' }) webhook_secret: string;
  @ApiProperty({ format: 'date-time', description: 'Until then, messages are also signed with the previous secret' })
  previous_secret_until: string;
}
