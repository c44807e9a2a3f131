import { message } from '../../../common/i18n/message.js';
import type { Brand } from '../../../common/pages/brand/brand.js';
import type { Mail, MailTemplate } from '../../../mail/content/mail.js';

/** The mails that an app's users get most, with sample data. */
const SAMPLES = {
  'verify-email': { label: 'Verification', holdsFor: message('common.wait.hours', { count: 24 }) },
  'reset-password': { label: 'Password reset', holdsFor: message('common.wait.minutes', { count: 30 }) },
  'magic-link': { label: 'Sign-in link', holdsFor: message('common.wait.minutes', { count: 10 }) },
} as const satisfies Partial<Record<MailTemplate, object>>;

export type SampleMail = keyof typeof SAMPLES;

/** The first where the text names none. */
export function sampleOf(name: unknown): SampleMail {
  return NAMES.find((each) => each === name) ?? 'verify-email';
}

export function sampleChoices(chosen: SampleMail) {
  return NAMES.map((name) => ({ name, label: SAMPLES[name].label, isChosen: name === chosen }));
}

/** @param baseUrl where its link leads */
export function sampleMail(template: SampleMail, brand: Brand, replyTo: string | null, baseUrl: string): Mail {
  const model = { link: `${baseUrl}/` };
  return { template, to: 'ada@example.com', brand, replyTo, model, holdsFor: SAMPLES[template].holdsFor };
}

const NAMES = Object.keys(SAMPLES) as SampleMail[];
