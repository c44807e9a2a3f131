import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { isUuid } from '../../../common/validation/fields.js';
import { InvitesService } from '../../../invites/creation/invites.service.js';
import { MailLog } from '../../../mail/log/mail-log.service.js';

/** The parts of a request that determine what it is about. */
export type RequestParts = Pick<Request, 'params' | 'query' | 'body'>;

type Sent = Readonly<Record<string, unknown>>;

/**
 * Whether a request does something that needs a recent sign-in. Guards run before validation, so a value is read in
 * every form that a handler would accept.
 */
@Injectable()
export class CriticalRequests {
  constructor(
    private readonly directory: AppDirectory,
    private readonly invites: InvitesService,
    private readonly mails: MailLog,
  ) {}

  /**
   * Whether it concerns administrators: it names a Console app, whose members administer its tenant, or makes a platform
   * admin. Also true for an export with password hashes.
   */
  async concernsAuthority({ params, query, body }: RequestParts): Promise<boolean> {
    const given = objectIn(body);
    if (asksForCredentials(query) || given['is_platform_admin'] === true) return true;
    const named = [params['app_id'], query['app_id'], given['app_id']].map(idIn);
    const invite = idIn(params['invite_id']);
    const mail = idIn(params['mail_id']);
    const led = [
      invite && (await this.invites.appOf(invite)),
      mail && (await this.mails.find(WHOLE_SCOPE, mail))?.appId,
    ];
    for (const id of [...named, ...led]) if (id && (await this.directory.find(id))?.app.isConsoleApp) return true;
    return false;
  }
}

function asksForCredentials(query: RequestParts['query']): boolean {
  const wanted = query['include_credentials'];
  return wanted !== undefined && wanted !== 'false' && wanted !== '0';
}

function objectIn(value: unknown): Sent {
  return typeof value === 'object' && value !== null ? (value as Sent) : {};
}

/** Handlers of forms remove blanks and NUL, so an id is recognized with them, too. */
function idIn(value: unknown): string | null {
  const text = typeof value === 'string' ? value.replaceAll('\0', '').trim() : value;
  return isUuid(text) ? text.toLowerCase() : null;
}
