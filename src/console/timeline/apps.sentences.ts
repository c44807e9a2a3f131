import { quantity } from '../../common/pages/quantity.js';
import { fieldsOf, type Metadata, number, textOrNull } from './event-words.js';
import type { EventFacts } from './event-facts.js';
import { bad, good, plain, type Sentence } from './phrase.js';

const LOGOS: Readonly<Record<string, string>> = { removed: 'removed', copied: 'copied', replaced: 'replaced' };
const PICTURES: Readonly<Record<string, string>> = { dark_logo: 'logo for the dark theme', favicon: 'favicon' };

/** Replaces `config` by the names of the changed settings. */
function withSettings({ fields, config }: Metadata): Metadata {
  if (!Array.isArray(fields) || !Array.isArray(config)) return { fields };
  return { fields: fields.flatMap((field: unknown): unknown[] => (field === 'config' ? config : [field])) };
}

function placeholderOf({ app }: EventFacts): string {
  return app ? '{app}' : '{tenant}';
}

/** The scheduled settings, and when they take effect. */
function scheduled({ metadata }: EventFacts): Readonly<Record<string, string | null>> {
  const time = textOrNull(metadata['effective_at']);
  const fields = fieldsOf(metadata)?.replaceAll('config.', '') ?? null;
  return { fields, time: time && new Date(time).toUTCString() };
}

/** Apps, tenants and push. */
export const APP_SENTENCES = {
  'app.created': good('{actor} created the app {app}'),
  'app.updated': ({ metadata }) =>
    plain('{actor} changed the settings of {app}[: {fields}]', { fields: fieldsOf(withSettings(metadata)) }),
  'app.secret_regenerated': plain('{actor} regenerated the client secret of {app}'),
  'app.exported': ({ metadata }) =>
    plain(`{actor} exported the app {app}${metadata['include_users'] ? ' with its users' : ''}`),
  'app.imported': good('{actor} imported the app {app}'),
  'app.logo_changed': ({ metadata }) =>
    plain('{actor} {did} the {picture} of {app}', {
      did: LOGOS[String(metadata['logo'])] ?? 'changed',
      picture: PICTURES[String(metadata['picture'])] ?? 'logo',
    }),
  'app.archived': bad('{actor} archived the app {app}'),
  'app.restored': good('{actor} restored the app {app}'),
  'client.registered': ({ metadata }) =>
    plain('A client registered itself[ as “{name}”]', { name: textOrNull(metadata['client_name']) }),
  'tenant.created': good('{actor} created the tenant {tenant}'),
  'tenant.updated': ({ metadata }) =>
    plain('{actor} changed the settings of {tenant}[: {fields}]', { fields: fieldsOf(metadata) }),
  'tenant.activated': good('{actor} switched on {tenant}'),
  'tenant.deactivated': bad('{actor} switched off {tenant}'),
  'tenant.exported': ({ metadata }) =>
    plain(`{actor} exported the tenant {tenant}${metadata['include_users'] ? ' with its users' : ''}`),
  'task.secrets_revealed': plain('{actor} revealed the client secrets of an import[ into {tenant}]'),
  'tenant.imported': good('{actor} imported the tenant {tenant}'),
  'scheduled_change.created': (facts) =>
    plain(`{actor} scheduled a change of ${placeholderOf(facts)}[: {fields}][, from {time}]`, scheduled(facts)),
  'scheduled_change.cancelled': (facts) =>
    plain(`{actor} cancelled a scheduled change of ${placeholderOf(facts)}[: {fields}]`, scheduled(facts)),
  'scheduled_change.executed': (facts) =>
    plain(`A change that {actor} had scheduled was applied to ${placeholderOf(facts)}[: {fields}]`, scheduled(facts)),
  'scheduled_change.failed': (facts) =>
    bad(`A scheduled change of ${placeholderOf(facts)} was not applied[: {fields}]`, scheduled(facts)),
  'push.device_registered': plain('{subject} registered a device for push[ in {app}]'),
  'push.device_removed': ({ isOwn, user }) =>
    isOwn || !user
      ? plain('{subject} removed a device from push[ in {app}]')
      : plain('{actor} removed a device of {user} from push[ in {app}]'),
  'push.config_changed': ({ metadata }) =>
    plain('{actor} changed the push settings of {app}[: {fields}]', { fields: fieldsOf(metadata) }),
  'push.secret_shown': plain('{actor} read the webhook secret of {app}'),
  'push.sent': ({ metadata }) => {
    if (metadata['webhook'] === 'test') return plain('{actor} sent a test message to the webhook of {app}');
    if (metadata['messages'] !== undefined) {
      const messages = quantity(number(metadata['messages']), 'failed message', 'failed messages');
      return plain('{actor} sent {messages} to the webhook of {app} again', { messages });
    }
    if (metadata['webhook']) return plain('{actor} sent a message to the webhook of {app} again');
    const sent = quantity(Math.max(1, number(metadata['notifications'])), 'notification', 'notifications');
    return plain('{actor} sent {sent}[ to {user}][ in {app}]', { sent });
  },
  'audit.exported': ({ metadata }) =>
    plain('{actor} exported {entries} of the audit log[ of {app}][ of {tenant}][ as {format}]', {
      entries: quantity(number(metadata['entries']), 'entry', 'entries'),
      format: textOrNull(metadata['format'])?.toUpperCase() ?? null,
    }),
} satisfies Readonly<Record<string, Sentence>>;
