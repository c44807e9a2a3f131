import { ApiProperty } from '@nestjs/swagger';
import type { RateLimitRecord } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';

class RateLimitRecordView {
  @ApiProperty({ example: 'login_email' }) label: string;
  @ApiProperty({ description: 'What the limit counts: the canonical e-mail address, or an id' }) key: string;
  @ApiProperty({ type: 'integer' }) count: number;
  @ApiProperty({ type: 'integer', description: 'Seconds remaining' }) ttl: number;
}

export class UserLimitsView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty() email: string;
  @ApiProperty({ type: [RateLimitRecordView], description: 'Counters with an open window' })
  rate_limits: RateLimitRecordView[];
}

export function userLimitsView({ user, records }: { user: User; records: readonly RateLimitRecord[] }): UserLimitsView {
  return {
    user_id: user.id,
    email: user.email,
    rate_limits: records.map(({ label, key, count, ttl }) => ({ label, key, count, ttl })),
  };
}
