import { setTimeout as sleep } from 'node:timers/promises';
import { FcmServer } from '../../support/servers/fcm-server.js';
import { PushService } from '../../support/servers/push-service.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import type { World } from '../../support/world.js';
import type { Outcome } from '../fault.js';
import { PushTraffic, type Sender } from '../push-traffic.js';
import { type Scene, underLoad } from '../under-load.js';

/** Of one `webhook-id`. */
interface Received {
  readonly bodies: Set<string>;
  answered: number;
  attempts: number;
}

type Mood = 'well' | 'hanging' | 'failing' | 'redirecting' | 'trickling' | 'cut after accept';
const MOODS: readonly Mood[] = ['hanging', 'failing', 'redirecting', 'trickling', 'cut after accept'];
const CALM = 'calm';
const CALM_MS = 4_000;
const DEVICES = 2;
/** Attempts that hang end after 15 s, and the first retry comes after 5 to 6 s. */
const SETTLED_WITHIN_MS = 90_000;
/** A faulty receiver may delay another app's events by half, or by what a busy machine makes of a moment. */
const MAX_DELAY_FACTOR = 1.5;
const MOMENT_MS = 1_000;

/**
 * F8: receivers of webhooks hang, fail, redirect, trickle, and are cut after they have accepted. Every event arrives with
 * one id and one body; one that was answered for arrives once.
 */
export async function webhookReceiversFail(milliseconds: number): Promise<Outcome> {
  const [fcm, browsers, receiver] = await Promise.all([
    FcmServer.start(),
    PushService.start(),
    WebhookReceiver.start(),
  ]);
  const env = { FCM_ENDPOINT: fcm.origin, ALLOW_PRIVATE_NETWORK_TARGETS: 'true' };
  try {
    return await underLoad({ env, clients: 2 }, (scene) =>
      run(scene, { fcm, browsers }, new Receivers(receiver), milliseconds),
    );
  } finally {
    await Promise.all([fcm.stop(), browsers.stop(), receiver.close()]);
  }
}

async function run(
  { world, journal }: Scene,
  peers: { fcm: FcmServer; browsers: PushService },
  receivers: Receivers,
  milliseconds: number,
) {
  const traffic = await PushTraffic.begin(world, peers, journal, [CALM, ...MOODS], (name) => receivers.open(name));
  const begun = new Date();
  await sleep(CALM_MS);
  const struck = new Date();
  for (const mood of MOODS) receivers.be(mood, mood);
  await sleep(milliseconds);
  const healed = new Date();
  for (const mood of MOODS) receivers.be(mood, 'well');
  await sleep(CALM_MS);
  await traffic.end();
  const broken = [...traffic.failures, ...(await traffic.settled(SETTLED_WITHIN_MS)), ...(await traffic.quotas())];
  const expected = (sender: Sender) => sender.sent.length * DEVICES;
  const good = () => traffic.senders.every((sender) => receivers.answeredOf(sender.name) >= expected(sender));
  await eventually('all events have come', good, { within: SETTLED_WITHIN_MS, every: 500 }).catch(() => undefined);
  for (const sender of traffic.senders) broken.push(...receivers.wrong(sender.name, expected(sender)));
  const calm = traffic.of(CALM).app.id;
  const [before, during] = [await waited(world, calm, begun, struck), await waited(world, calm, struck, healed)];
  if (during > Math.max(before * MAX_DELAY_FACTOR, MOMENT_MS))
    broken.push(`events of the calm app waited ${Math.round(during)} ms`);
  const events = traffic.senders.reduce((sum, sender) => sum + expected(sender), 0);
  return {
    figures:
      `receivers of ${MOODS.length} apps failed for ${milliseconds / 1_000} s, ${events} events, ` +
      `${receivers.repeated} attempts more, p95 of the calm app ${Math.round(before)} ms before and ${Math.round(during)} ms meanwhile`,
    broken,
  };
}

/** From the event to the good answer, of one app. @returns the 95th percentile in milliseconds */
async function waited(world: World, appId: string, from: Date, until: Date): Promise<number> {
  const [row] = await world.sql<{ ms: number | null }>(
    `SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - created_at) * 1000)::float8 AS ms
     FROM webhook_messages WHERE app_id = $1 AND created_at BETWEEN $2 AND $3`,
    [appId, from, until],
  );
  return row!.ms ?? 0;
}

/** A path for each app, whose mood can change. */
class Receivers {
  private readonly received = new Map<string, Map<string, Received>>();
  private readonly moods = new Map<string, Mood>();

  constructor(private readonly receiver: WebhookReceiver) {}

  /** @returns its address */
  open(name: string): string {
    const path = `/${encodeURIComponent(name)}`;
    this.received.set(name, new Map());
    this.receiver.on(path, (response, request) => {
      const mood = this.moods.get(name) ?? 'well';
      const received = this.note(name, String(request.headers['webhook-id']), this.receiver.to(path).at(-1)!.body);
      if (mood === 'hanging') return;
      if (mood === 'cut after accept') return void request.socket.destroy();
      if (mood === 'failing') return void response.writeHead(500).end();
      if (mood === 'redirecting') return void response.writeHead(302, { Location: this.receiver.url('/trap') }).end();
      received.answered++;
      // The status has been said: the rest of the answer does not matter.
      if (mood === 'trickling') return void response.writeHead(200, { 'Content-Length': '1000' }).write('.');
      response.writeHead(204).end();
    });
    return this.receiver.url(path);
  }

  be(name: string, mood: Mood): void {
    this.moods.set(name, mood);
  }

  /** How many events of an app have been answered for. */
  answeredOf(name: string): number {
    return [...this.received.get(name)!.values()].filter(({ answered }) => answered > 0).length;
  }

  /** Attempts beyond the first of each event. */
  get repeated(): number {
    return this.all().reduce((sum, { attempts }) => sum + attempts - 1, 0);
  }

  wrong(name: string, expected: number): string[] {
    const all = [...this.received.get(name)!.values()];
    const count = (what: string, isWrong: (received: Received) => boolean): string[] => {
      const wrong = all.filter(isWrong).length;
      return wrong > 0 ? [`${name}: ${wrong} ${what}`] : [];
    };
    return [
      ...(all.length === expected ? [] : [`${name}: ${all.length} events came, not ${expected}`]),
      ...count('events were never taken', ({ answered }) => answered === 0),
      ...count('events came again after a good answer', ({ answered }) => answered > 1),
      ...count('events changed between two attempts', ({ bodies }) => bodies.size > 1),
      ...(this.receiver.to('/trap').length > 0 ? [`${name}: a redirect was followed`] : []),
    ];
  }

  private all(): Received[] {
    return [...this.received.values()].flatMap((each) => [...each.values()]);
  }

  private note(name: string, id: string, body: string): Received {
    const ofApp = this.received.get(name)!;
    const received = ofApp.get(id) ?? { bodies: new Set<string>(), answered: 0, attempts: 0 };
    ofApp.set(id, received);
    received.bodies.add(body);
    received.attempts++;
    return received;
  }
}
