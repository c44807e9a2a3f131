import { Controller, Get, Header, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { CapturedMail } from '../../mail/captured-mail.entity.js';
import { Mailbox } from '../../mail/mailbox.service.js';

/** The mail's own styles are inline; nothing else may load or run. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Every mail that the service would have sent, newest first. */
@ApiExcludeController()
@Controller('dev/mailbox')
export class MailboxController {
  constructor(
    private readonly mailbox: Mailbox,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  async list(@Req() request: Request, @Res() response: Response): Promise<void> {
    const mails = await this.mailbox.list();
    if (!prefersHtml(request)) {
      response.json(mails.map(view));
      return;
    }
    await this.pages.send(response, {
      view: 'dev/mailbox',
      title: 'Mailbox',
      layout: 'plain',
      model: {
        mails: mails.map((mail) => ({
          id: mail.id,
          to: mail.to,
          subject: mail.subject,
          when: mail.createdAt.toUTCString(),
          text: mail.text,
          link: /https?:\/\/\S+/.exec(mail.text)?.[0] ?? null,
        })),
      },
    });
  }

  @Get(':mail_id')
  @Browser()
  @Header('Content-Security-Policy', MAIL_POLICY)
  async show(@Param('mail_id') id: string, @Res() response: Response): Promise<void> {
    const mail = await this.mailbox.find(id);
    if (!mail) throw new NotFoundException();
    response.type('html').send(mail.html);
  }
}

function view(mail: CapturedMail) {
  return {
    id: mail.id,
    to: mail.to,
    from: mail.from,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    created_at: mail.createdAt.toISOString(),
  };
}
