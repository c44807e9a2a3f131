import { AsyncLocalStorage } from 'node:async_hooks';
import { NotificationListener } from '../../src/database/notifications/notification-listener.js';

const notified = new AsyncLocalStorage<true>();

const { on } = NotificationListener.prototype;
NotificationListener.prototype.on = function (channel, handler) {
  on.call(this, channel, (payload) => notified.run(true, () => handler(payload)));
};

/**
 * Whether the calling work began because a row has changed, maybe by another test. Imported wherever a service is
 * started, because each service registers its handlers once.
 */
export function isNotifiedWork(): boolean {
  return notified.getStore() === true;
}
