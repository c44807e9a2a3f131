// Subscribes this browser with the app's key and registers it as the user's device.
/* global document, navigator, window, Notification */
'use strict';

const button = document.querySelector('[data-push-subscribe]');
const status = document.querySelector('[data-push-status]');
const say = (text) => {
  status.textContent = text;
};

/** Why it cannot work here, or null. */
function obstacle() {
  if (!window.isSecureContext) return 'Browsers subscribe only on https and on localhost. Open this page there.';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'This browser does not support web push.';
  if (Notification.permission === 'denied')
    return 'Notifications from this address are blocked. Allow them in the settings of the browser and reload.';
  return null;
}

async function subscribe({ app, key, token }) {
  if ((await Notification.requestPermission()) !== 'granted') return say('You did not allow notifications.');
  await navigator.serviceWorker.register('/dev/push-worker.js', { scope: '/dev/' });
  const { pushManager } = await navigator.serviceWorker.ready;
  let subscription;
  try {
    // One that was made with another key cannot be used with this one.
    await (await pushManager.getSubscription())?.unsubscribe();
    subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (error) {
    return say(
      `The browser gave no subscription (${error.message}). It could not reach its push service. Try Chrome, Edge, ` +
        'Firefox or Safari, not in a private window, and in a network that does not block it.',
    );
  }
  const answer = await fetch('/push/devices/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ app_id: app, platform: 'web', push_token: JSON.stringify(subscription) }),
  });
  const body = await answer.json();
  if (answer.status === 201) say(`Registered as device ${body.device_id}. Now send.`);
  else say(`The service answered ${answer.status}: ${JSON.stringify(body.detail)}`);
}

if (button) {
  const reason = obstacle();
  if (reason) say(reason);
  else {
    button.hidden = false;
    button.addEventListener('click', () => {
      button.setAttribute('aria-busy', 'true');
      subscribe(button.dataset)
        .catch((error) => say(`That failed: ${error.message}`))
        .finally(() => button.removeAttribute('aria-busy'));
    });
  }
}
