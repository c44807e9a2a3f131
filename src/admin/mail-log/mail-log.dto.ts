import { MAIL_STATES, type MailState } from '../../mail/log/logged-mail.entity.js';
import type { MailTemplate } from '../../mail/content/mail.js';
import { MAIL_TEMPLATES } from '../../mail/content/mail-subjects.js';
import { Choice, Email, QueryWhole, Text, Uuid } from '../../common/validation/fields.js';
import { IsoTime } from '../filters/iso-time.js';

export class MailListQuery {
  @Uuid({ optional: true })
  tenant_id?: string;

  @Uuid({ optional: true })
  app_id?: string;

  @Uuid({ optional: true, description: 'E-mails to this user' })
  user_id?: string;

  @Email({ optional: true, lookUp: true, description: 'E-mails to this address' })
  email?: string;

  @Choice(MAIL_STATES, { optional: true })
  state?: MailState;

  @Choice(MAIL_TEMPLATES, { optional: true })
  template?: MailTemplate;

  @IsoTime()
  before?: string;

  @IsoTime()
  after?: string;

  @QueryWhole({ min: 1, max: 200, description: 'Default 50' })
  limit?: number;

  @QueryWhole({ min: 1, max: 1_000_000, description: 'Default 1' })
  page?: number;

  @Text({ optional: true, max: 100, description: 'Start of the page, from a Link header' })
  cursor?: string;
}
