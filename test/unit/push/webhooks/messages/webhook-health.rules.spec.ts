import { describe, expect, it } from '@jest/globals';
import { failingWebhook } from '../../../../../src/push/webhooks/messages/webhook-health.rules.js';
import type { WebhookMessage } from '../../../../../src/push/webhooks/messages/webhook-message.entity.js';

type Message = Pick<WebhookMessage, 'status' | 'history'>;

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const refused = (minute: number) => ({ at: at(minute), status: 500, error: 'unexpected_status' });
const accepted = (minute: number) => ({ at: at(minute), status: 200, error: null });
const queued = (...history: Message['history']): Message => ({ status: 'queued', history });
const delivered = (...history: Message['history']): Message => ({ status: 'delivered', history });

describe('failingWebhook', () => {
  it.each<[string, Message[]]>([
    ['no messages', []],
    ['messages that were not tried', [queued(), queued()]],
    ['a last attempt that was accepted', [delivered(refused(1), accepted(5)), queued(refused(4))]],
  ])('is null for %s', (_, messages) => {
    expect(failingWebhook(messages)).toBeNull();
  });

  it('begins with the first failure after the last accepted attempt, across messages', () => {
    const messages = [queued(refused(7), refused(9)), queued(refused(6)), delivered(refused(1), accepted(5)), queued()];
    expect(failingWebhook(messages)).toEqual({
      tried: 3,
      failing: 2,
      since: new Date(at(6)),
      lastStatus: 500,
      lastError: 'unexpected_status',
    });
  });

  it('begins with the first attempt where none was accepted', () => {
    const timeout = { at: at(3), status: null, error: 'timeout' };
    expect(failingWebhook([queued(timeout), queued(refused(2))])).toMatchObject({
      since: new Date(at(2)),
      lastStatus: null,
      lastError: 'timeout',
    });
  });
});
