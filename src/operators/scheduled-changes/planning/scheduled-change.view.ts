import { ApiProperty } from '@nestjs/swagger';
import { type ScheduledChange, SCHEDULED_STATES } from './scheduled-change.entity.js';

const REASONS = ['late', 'authority', 'unconfirmed', 'refused', 'lock_out', 'lock_out_of_all', 'changed_meanwhile'];

class ChangedSettingView {
  @ApiProperty({ example: 'config.require_2fa' }) setting: string;
  @ApiProperty({ description: 'Its value when the change was scheduled' }) then: unknown;
  @ApiProperty({ description: 'Its value when the change was due' }) now: unknown;
}

class ScheduledFailureView {
  @ApiProperty({
    enum: REASONS,
    description:
      '`late`: it could not be applied within 24 hours of `effective_at`. `authority`: the user or app that scheduled it no longer has permission. `unconfirmed`: it now requires a recent sign-in, and none was recorded for this effect. ' +
      '`refused`: the update refuses it, see `detail`. ' +
      '`lock_out`, `lock_out_of_all`: it would have locked out the user who scheduled it, or all administrators. `changed_meanwhile`: the same settings were changed in the meantime.',
  })
  reason: string;
  @ApiProperty({ type: String, nullable: true }) detail: string | null;
  @ApiProperty({ type: [ChangedSettingView] }) changed: ChangedSettingView[];
}

export class ScheduledChangeView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null: a change of the tenant' })
  app_id: string | null;
  @ApiProperty({ type: Object, description: 'Body of the update' }) change: object;
  @ApiProperty({ format: 'date-time' }) effective_at: string;
  @ApiProperty({ enum: SCHEDULED_STATES }) state: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The user who scheduled it' })
  planned_by: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The app whose service token scheduled it',
  })
  planned_by_app: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the change was applied, cancelled, or failed',
  })
  settled_at: string | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    description: 'Number of affected members by effect, when the change was scheduled; null: not counted yet',
    example: { set_up_second_factor: 12 },
  })
  prediction_then: object | null;
  @ApiProperty({ type: Object, nullable: true, description: 'The same, just before the change was applied' })
  prediction_now: object | null;
  @ApiProperty({ type: () => ScheduledFailureView, nullable: true }) failure: ScheduledFailureView | null;
}

export function scheduledChangeView(row: ScheduledChange): ScheduledChangeView {
  const { reason, detail = null, changed = [] } = row.result ?? {};
  return {
    id: row.id,
    tenant_id: row.tenantId,
    app_id: row.appId,
    change: row.change,
    effective_at: row.effectiveAt.toISOString(),
    state: row.state,
    planned_by: row.plannedBy,
    planned_by_app: row.plannedByApp,
    created_at: row.createdAt.toISOString(),
    settled_at: row.settledAt?.toISOString() ?? null,
    prediction_then: row.predictionThen,
    prediction_now: row.predictionNow,
    failure: reason ? { reason, detail, changed: [...changed] } : null,
  };
}
