import { setTimeout as sleep } from 'node:timers/promises';
import { FcmServer } from '../../support/servers/fcm-server.js';
import { PushService } from '../../support/servers/push-service.js';
import type { Behavior } from '../../support/servers/scripted.js';
import type { Outcome } from '../fault.js';
import { PushTraffic, type Sender } from '../push-traffic.js';
import { seconds } from '../report.js';
import { type Scene, underLoad } from '../under-load.js';

/** What the receivers of an app do, by the name of the app. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  hanging: 'hang',
  failing: { status: 500 },
  'asking to wait': { status: 429, retryAfter: '5' },
  slow: { delayMs: 3_000 },
  'cut after accept': 'take and cut',
};
const CALM = 'calm';
const CALM_MS = 4_000;
/** Attempts that hang end after 20 s, and retries come after growing pauses. */
const SETTLED_WITHIN_MS = 150_000;
const MAX_SEND_MS = 2_000;
/** A faulty receiver may delay another app's notifications by half, or by what a busy machine makes of a moment. */
const MAX_DELAY_FACTOR = 1.5;
const MOMENT_MS = 500;

/**
 * F7: receivers of push notifications hang, fail, ask to wait, answer late, and are cut after they have accepted. Every
 * notification arrives; one that was answered for arrives once; other apps are not delayed.
 */
export async function pushReceiversFail(milliseconds: number): Promise<Outcome> {
  const [fcm, browsers] = await Promise.all([FcmServer.start(), PushService.start()]);
  const env = { FCM_ENDPOINT: fcm.origin, ALLOW_PRIVATE_NETWORK_TARGETS: 'true' };
  try {
    return await underLoad({ env, clients: 2 }, (scene) => run(scene, fcm, browsers, milliseconds));
  } finally {
    await Promise.all([fcm.stop(), browsers.stop()]);
  }
}

async function run({ world, journal }: Scene, fcm: FcmServer, browsers: PushService, milliseconds: number) {
  const traffic = await PushTraffic.begin(world, { fcm, browsers }, journal, [CALM, ...Object.keys(BEHAVIORS)]);
  const be = (name: string, behavior: Behavior): void => {
    fcm.script.tell(traffic.of(name).phone, behavior);
    browsers.script.tell(traffic.of(name).browser, behavior);
  };
  const begun = new Date();
  await sleep(CALM_MS);
  const struck = new Date();
  for (const [name, behavior] of Object.entries(BEHAVIORS)) be(name, behavior);
  await sleep(milliseconds);
  const healed = new Date();
  for (const name of Object.keys(BEHAVIORS)) be(name, 'take');
  await sleep(CALM_MS);
  await traffic.end();
  const broken = [...traffic.failures, ...(await traffic.settled(SETTLED_WITHIN_MS)), ...(await traffic.quotas())];

  let repeated = 0;
  for (const sender of traffic.senders) {
    const { doubled, unanswered } = arrivals(sender, fcm, browsers);
    repeated += unanswered;
    if (doubled > 0) broken.push(`${sender.name}: ${doubled} were sent again after a good answer`);
    if (unanswered > 0 && sender.name !== 'cut after accept' && sender.name !== 'hanging')
      broken.push(`${sender.name}: ${unanswered} were taken more often than once`);
  }
  const calm = traffic.of(CALM);
  const [before, during] = [
    await traffic.deliveryMs(calm, begun, struck),
    await traffic.deliveryMs(calm, struck, healed),
  ];
  if (during > Math.max(before * MAX_DELAY_FACTOR, MOMENT_MS))
    broken.push(`the calm app waited ${Math.round(during)} ms`);
  if (traffic.slowestMs > MAX_SEND_MS) broken.push(`a send took ${Math.round(traffic.slowestMs)} ms`);
  const sent = traffic.senders.reduce((sum, each) => sum + each.sent.length, 0);
  return {
    figures:
      `receivers of ${Object.keys(BEHAVIORS).length} apps failed for ${milliseconds / 1_000} s, ${sent} notifications to 2 devices each, ` +
      `${repeated} attempts without an answer, slowest send ${seconds([traffic.slowestMs])}, ` +
      `p95 of the calm app ${Math.round(before)} ms before and ${Math.round(during)} ms meanwhile`,
    broken,
  };
}

/** What came to the devices of an app: more than one good answer for one notification, and attempts without one. */
function arrivals({ phone, browser }: Sender, fcm: FcmServer, browsers: PushService) {
  const answered = new Map<string, number>();
  let unanswered = 0;
  const note = (key: string, isAnswered: boolean): void => {
    if (isAnswered) answered.set(key, (answered.get(key) ?? 0) + 1);
    else unanswered++;
  };
  for (const { message, answered: status } of fcm.to(phone))
    if (status === 200 || status === null) note(`phone ${message.data['notification_id']}`, status === 200);
  for (const { payload, isAnswered } of browsers.to(browser)) note(`browser ${payload.notification_id}`, isAnswered);
  return { doubled: [...answered.values()].filter((count) => count > 1).length, unanswered };
}
