import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AdministratorNotices } from '../notices/administrator-notices.service.js';
import { RequestNotices } from '../requests/request-notices.service.js';

/** Mails about enrollments to the administrators of the app, in the transaction of the enrollment. */
@Injectable()
export class EnrollmentNotices {
  constructor(
    private readonly administrators: AdministratorNotices,
    private readonly requests: RequestNotices,
  ) {}

  /** @param by an e-mail address, or a description of an actor without one */
  administrator(tx: EntityManager, app: App, userId: string, by: string): Promise<void> {
    return this.administrators.send(tx, app, userId, by);
  }

  request(tx: EntityManager, app: App, userId: string, message: string | null): Promise<void> {
    return this.requests.asked(tx, app, userId, message);
  }
}
