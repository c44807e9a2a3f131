// Service worker of the push demo: shows what arrives. A notification that arrives twice replaces itself by its id.
/* global self */
'use strict';

self.addEventListener('push', (event) => {
  const { notification_id: id, title, body, data } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, data, tag: id }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow('/dev/push-demo'));
});
