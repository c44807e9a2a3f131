import type { EventFacts } from './event-facts.js';
import { textOrNull } from './event-words.js';
import { bad, plain, type Phrase, type Sentence } from './phrase.js';

const ENDS: Readonly<Record<string, string>> = {
  expired: 'the time was over',
  not_allowed: 'it is no longer allowed',
};

/** Events of the installation: keys, jobs, restored backups, impersonation. */
export const PLATFORM_SENTENCES = {
  'impersonation.started': impersonationStarted,
  'impersonation.ended': ({ app, metadata }) =>
    plain(`{actor} stopped impersonating ${app ? 'the app {app}' : 'the tenant {tenant}'}[: {why}]`, {
      why: ENDS[String(metadata['reason'])] ?? null,
    }),
  'signing_key.created': plain('{actor} created a signing key'),
  'signing_key.rotated': ({ metadata }) =>
    metadata['immediately']
      ? bad('{actor} rotated the signing key immediately')
      : plain('{actor} rotated the signing key'),
  'secret_key.rotated': plain('{actor} re-encrypted the stored secrets with a new SECRET_KEY'),
  'backup.revoked': bad('{actor} revoked the sessions, tokens and links of a restored backup'),
  'job.retried': ({ metadata }) => plain('{actor} queued the job[ {job}] again', { job: textOrNull(metadata['job']) }),
  'job.discarded': ({ metadata }) => plain('{actor} discarded the job[ {job}]', { job: textOrNull(metadata['job']) }),
} satisfies Readonly<Record<string, Sentence>>;

function impersonationStarted({ app, metadata }: EventFacts): Phrase {
  return bad(`{actor} started impersonating ${app ? 'the app {app}' : 'the tenant {tenant}'}[: {why}]`, {
    why: textOrNull(metadata['reason']),
  });
}
