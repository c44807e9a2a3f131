import { counter } from '../../common/metrics/process-metrics.js';
import type { Platform } from '../devices/push-device.entity.js';

const ATTEMPTS = counter({
  name: 'identity_deliveries_total',
  help: 'Attempts to deliver notifications and webhooks, by channel and outcome',
  labelNames: ['channel', 'outcome'],
});

export function countDelivery(
  channel: `push_${Platform}` | 'webhook',
  outcome: 'delivered' | 'retried' | 'failed' | 'expired',
): void {
  ATTEMPTS.inc({ channel, outcome });
}
