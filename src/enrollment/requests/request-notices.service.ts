import { Injectable } from '@nestjs/common';
import { WHOLE_SCOPE } from '../../common/actor.js';
import type { EntityManager } from 'typeorm';
import { DEFAULT_CONFIG } from '../../apps/app/app-config.js';
import type { App } from '../../apps/app/app.entity.js';
import { UsersService } from '../../users/users.service.js';
import { quoted, RequestMails } from './request-mails.service.js';
import { RequestNoticesRepository } from '../notices/request-notices.repository.js';
import { RequestQueueRepository } from './request-queue.repository.js';

/** Maximum number of immediate mails per app and hour; later requests are in the digest. */
const MAX_MAILED_PER_HOUR = 20;
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 80;
const MAX_MESSAGE_LENGTH = 300;
/** Counting stops here. */
const MAX_COUNTED = 1_000;

/**
 * Notifies an app's administrators of requests for access: immediately or in a daily digest, depending on
 * `config.request_notices`. A user who asks again within seven days causes no separate mail, and neither do requests
 * beyond 20 an hour, or beyond the limit of a recipient: they are in the digest.
 */
@Injectable()
export class RequestNotices {
  constructor(
    private readonly notices: RequestNoticesRepository,
    private readonly queue: RequestQueueRepository,
    private readonly mails: RequestMails,
    private readonly users: UsersService,
  ) {}

  /** Called in the transaction of the request. */
  async asked(tx: EntityManager, app: App, userId: string, message: string | null): Promise<void> {
    const { request_notices: mode } = { ...DEFAULT_CONFIG, ...app.config };
    if (mode === 'off') return;
    const isMailed = mode === 'immediately' && (await this.mayMail(tx, app, userId));
    if (!isMailed) return this.notices.scheduleDigest(tx, app.id);
    const user = (await this.users.find(userId, tx))!;
    await this.mails.send(tx, app, 'access-request', {
      person: quoted(user.displayName, MAX_NAME_LENGTH),
      address: quoted(user.email, MAX_NAME_LENGTH),
      message: message ? quoted(message, MAX_MESSAGE_LENGTH) : null,
    });
  }

  /** Sends the digest if it is due, if at least one request is pending, and if the app's setting requires it. */
  async sendDigest(tx: EntityManager, app: App): Promise<void> {
    if (!(await this.notices.takeDigest(tx, app.id))) return;
    const isWanted = app.isActive && { ...DEFAULT_CONFIG, ...app.config }.request_notices !== 'off';
    const filter = { scope: WHOLE_SCOPE, appId: app.id };
    const count = isWanted ? await this.queue.count(filter, MAX_COUNTED, tx) : 0;
    if (count === 0) return;
    const { requests } = await this.queue.page(filter, null, MAX_NAMES, tx);
    await this.mails.send(tx, app, 'access-requests', {
      count,
      names: requests.map(({ displayName }) => quoted(displayName, MAX_NAME_LENGTH)),
      more: count - requests.length,
    });
  }

  private async mayMail(tx: EntityManager, app: App, userId: string): Promise<boolean> {
    if (await this.notices.endedLately(tx, userId, app.id)) return false;
    return (await this.notices.countMailed(tx, app.id)) <= MAX_MAILED_PER_HOUR;
  }
}
