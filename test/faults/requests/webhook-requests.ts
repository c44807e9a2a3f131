import type { AuthzFixture } from '../../support/authz-fixture.js';
import { testEvent, type WebhookApp, webhookApp } from '../../support/webhooks.js';
import type { Preparation, WriteRequest } from './write-request.js';

const RECEIVER = 'https://receiver.example.com/hook';

async function asOperator(fixture: AuthzFixture, act: (app: WebhookApp) => string): Promise<WriteRequest> {
  const app = await webhookApp(fixture.world, RECEIVER);
  await fixture.signInAgain('PA');
  return { method: 'POST', path: act(app), token: fixture.token('PA') };
}

/** An app whose receiver did not answer to one event. */
async function failed({ world }: AuthzFixture): Promise<{ app: WebhookApp; id: string }> {
  const app = await webhookApp(world, RECEIVER);
  const id = await testEvent(world, app);
  await world.sql(
    "UPDATE webhook_messages SET status = 'failed', next_attempt_at = NULL, completed_at = now() WHERE id = $1",
    [id.replace(/^msg_/, '')],
  );
  return { app, id };
}

/** What operators do with the webhooks of an app. */
export const WEBHOOK_REQUESTS: Readonly<Record<string, Preparation>> = {
  'POST /push/config/{a}/webhook-secret': (fixture) =>
    asOperator(fixture, ({ id }) => `/push/config/${id}/webhook-secret`),
  'POST /push/config/{a}/webhook-test': (fixture) => asOperator(fixture, ({ id }) => `/push/config/${id}/webhook-test`),
  'POST /push/webhooks/{a}/{m}/replay': async (fixture) => {
    const { app, id } = await failed(fixture);
    return asOperator(fixture, () => `/push/webhooks/${app.id}/${id}/replay`);
  },
  'POST /push/webhooks/{a}/replay-failed': async (fixture) => {
    const { app } = await failed(fixture);
    return asOperator(fixture, () => `/push/webhooks/${app.id}/replay-failed`);
  },
};
