import { Controller, Get, Header, NotFoundException, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock } from '../../common/clock.js';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { CapturedMail } from '../../mail/sending/captured-mail.entity.js';
import { MAIL_FRAME_POLICY } from '../../mail/content/mail-frame.js';
import { Mailbox } from '../../mail/sending/mailbox.service.js';

/** Every mail that the service would have sent, newest first. */
@ApiExcludeController()
@Controller('dev/mailbox')
export class MailboxController {
  constructor(
    private readonly mailbox: Mailbox,
    private readonly pages: PageRenderer,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Browser()
  async list(
    @Query('to') to: unknown,
    @Query('mail') chosen: unknown,
    @Query('as') as: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const all = await this.mailbox.list();
    if (!prefersHtml(request)) {
      response.json(all.map(view));
      return;
    }
    const wanted = typeof to === 'string' ? to.trim() : '';
    const mails = all.filter((mail) => mail.to.toLowerCase().includes(wanted.toLowerCase()));
    const now = this.clock.now();
    const open = mails.find(({ id }) => id === chosen) ?? mails[0];
    await this.pages.send(response, {
      view: 'dev/mailbox',
      title: 'Mailbox',
      layout: 'dev',
      hasFrame: true,
      model: {
        to: wanted,
        mails: mails.map((mail) => ({ ...row(mail, now), href: address(wanted, mail.id), isOpen: mail === open })),
        open: open ? shown(open, now, wanted, as === 'text') : null,
      },
    });
  }

  @Get(':mail_id')
  @Browser()
  @Header('Content-Security-Policy', MAIL_FRAME_POLICY)
  @Header('X-Frame-Options', 'SAMEORIGIN')
  async show(@Param('mail_id') id: string, @Res() response: Response): Promise<void> {
    const mail = await this.mailbox.find(id);
    if (!mail) throw new NotFoundException();
    response.type('html').send(mail.html);
  }
}

/** Path of the mailbox with this mail open. */
function address(to: string, id: string, more: Record<string, string> = {}): string {
  return `/dev/mailbox?${new URLSearchParams({ ...(to && { to }), mail: id, ...more }).toString()}`;
}

function row({ to, subject, createdAt }: CapturedMail, now: Date) {
  return { to, subject, when: timeInWords(createdAt, now) };
}

function shown(mail: CapturedMail, now: Date, to: string, isText: boolean) {
  const { id, text } = mail;
  return {
    ...row(mail, now),
    id,
    text,
    isText,
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? null,
    htmlHref: address(to, id),
    textHref: address(to, id, { as: 'text' }),
  };
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
