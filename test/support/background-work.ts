import { AsyncLocalStorage } from 'node:async_hooks';
import { NotificationListener } from '../../src/database/notifications/notification-listener.js';
import { PeriodicRunner } from '../../src/delivery/periodic/periodic-runner.js';

const background = new AsyncLocalStorage<true>();

const { on } = NotificationListener.prototype;
NotificationListener.prototype.on = function (channel, handler) {
  on.call(this, channel, (payload) => background.run(true, () => handler(payload)));
};

const { runOnce } = PeriodicRunner.prototype;
PeriodicRunner.prototype.runOnce = function (job) {
  return background.run(true, () => runOnce.call(this, job));
};

/**
 * Whether the calling work began because a row has changed, maybe by another test, or is that of a periodic job. Imported
 * wherever a service is started, because each service registers its handlers once.
 */
export function isBackgroundWork(): boolean {
  return background.getStore() === true;
}
