import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OperatorSessions } from '../../auth/access/operator-sessions.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

/** For work that began in the console and must end with the session. */
@Injectable()
export class LiveConsoleSessions extends OperatorSessions {
  constructor(private readonly sessions: ConsoleSessionsRepository) {
    super();
  }

  isAlive(id: string, tx?: EntityManager): Promise<boolean> {
    return tx ? this.sessions.hold(tx, id) : this.sessions.isAlive(id);
  }
}
