import { describe, expect, it } from '@jest/globals';
import type { MailerService } from '@nestjs-modules/mailer';
import { OWN_BRAND } from '../../../../src/common/pages/brand/brand.js';
import type { Settings } from '../../../../src/config/settings.js';
import type { Mail } from '../../../../src/mail/content/mail.js';
import { LOGO_CONTENT_ID } from '../../../../src/mail/content/mail-frame.js';
import type { MailLogRepository } from '../../../../src/mail/log/mail-log.repository.js';
import { MailSender } from '../../../../src/mail/sending/mail-sender.js';
import type { Mailbox } from '../../../../src/mail/sending/mailbox.service.js';

const LOGO = 'data:image/png;base64,AAAA';

describe('MailSender in the embedded mode', () => {
  it('keeps a mail with its logo inside, because the mailbox has no attachments', async () => {
    const kept: { html: string; text: string }[] = [];
    const mailbox = { keep: (mail: (typeof kept)[number]) => Promise.resolve(void kept.push(mail)) };
    const settings = { mailFrom: 'id@example.com', mailUrl: null, embedded: {} };
    const sender = new MailSender(
      {} as MailerService,
      mailbox as unknown as Mailbox,
      {} as MailLogRepository,
      settings as unknown as Settings,
    );
    const mail: Mail = {
      template: 'test',
      to: 'ada@example.com',
      brand: { ...OWN_BRAND, logo: LOGO },
      replyTo: null,
      model: {},
      holdsFor: null,
    };
    const content = { subject: 'Test', html: `<img src="cid:${LOGO_CONTENT_ID}">`, text: 'Test' };
    await sender.send(mail, content, { id: '1', attempt: 1, lastAttempt: false } as Parameters<MailSender['send']>[2]);
    expect(kept).toMatchObject([{ html: `<img src="${LOGO}">`, text: 'Test' }]);
  });
});
