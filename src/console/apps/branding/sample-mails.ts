import { message } from '../../../common/i18n/message.js';
import type { Brand } from '../../../common/pages/brand/brand.js';
import type { Mail, MailTemplate } from '../../../mail/content/mail.js';

/** The most frequent mails to an app's users, with sample data. */
const SAMPLES = {
  'verify-email': { label: 'Verification', holdsFor: message('common.wait.hours', { count: 24 }) },
  'reset-password': { label: 'Password reset', holdsFor: message('common.wait.minutes', { count: 30 }) },
  'magic-link': { label: 'Sign-in link', holdsFor: message('common.wait.minutes', { count: 10 }) },
} as const satisfies Partial<Record<MailTemplate, object>>;

export type SampleMail = keyof typeof SAMPLES;

/** The first one if the name is unknown. */
export function sampleOf(name: unknown): SampleMail {
  return NAMES.find((each) => each === name) ?? 'verify-email';
}

export function sampleChoices(chosen: SampleMail) {
  return NAMES.map((name) => ({ name, label: SAMPLES[name].label, isChosen: name === chosen }));
}

/** @param baseUrl target of the link in the mail */
export function sampleMail(template: SampleMail, brand: Brand, replyTo: string | null, baseUrl: string): Mail {
  const model = { link: `${baseUrl}/` };
  return { template, to: 'ada@example.com', brand, replyTo, model, holdsFor: SAMPLES[template].holdsFor };
}

const NAMES = Object.keys(SAMPLES) as SampleMail[];
