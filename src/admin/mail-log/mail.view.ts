import { ApiProperty } from '@nestjs/swagger';
import { type LoggedMail, MAIL_STATES } from '../../mail/log/logged-mail.entity.js';
import { MAIL_TEMPLATES } from '../../mail/content/mail-subjects.js';
import { judgeResend } from './mail-resend.rules.js';

export class MailView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ enum: MAIL_TEMPLATES }) template: string;
  @ApiProperty({
    enum: MAIL_STATES,
    description:
      '`sent`: the mail server has accepted it. `bounced`: the mail server has permanently refused the address or the e-mail. `given_up`: the mail server did not accept it in time. `over_limit`: it was not sent, because a limit of e-mails was reached',
  })
  state: string;
  @ApiProperty({ description: 'Address of the e-mail' }) to: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Null for invites and support addresses' })
  user_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'App in whose name the e-mail was sent' })
  app_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) tenant_id: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Reply of the mail server, if it bounced' })
  smtp_status: number | null;
  @ApiProperty() can_resend: boolean;
  @ApiProperty({ format: 'date-time', description: 'When the e-mail was queued, or refused by a limit' })
  created_at: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the e-mail was sent, or failed',
  })
  ended_at: string | null;
}

/** The shape of a logged mail in every answer. */
export function mailView(mail: LoggedMail): MailView {
  return {
    id: mail.id,
    template: mail.template,
    state: mail.state,
    to: mail.recipient,
    user_id: mail.userId,
    app_id: mail.appId,
    tenant_id: mail.tenantId,
    smtp_status: mail.smtpStatus,
    can_resend: 'kind' in judgeResend(mail),
    created_at: mail.createdAt.toISOString(),
    ended_at: mail.endedAt?.toISOString() ?? null,
  };
}
