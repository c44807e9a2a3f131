import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CapturedMail } from './captured-mail.entity.js';

const KEPT = 200;

/** Captured mails of the embedded mode. */
@Injectable()
export class Mailbox {
  constructor(@InjectRepository(CapturedMail) private readonly mails: Repository<CapturedMail>) {}

  async keep(mail: Omit<CapturedMail, 'createdAt'>): Promise<void> {
    await this.mails.createQueryBuilder().insert().values(mail).orIgnore().execute();
    await this.mails.query(
      'DELETE FROM captured_mails WHERE id NOT IN (SELECT id FROM captured_mails ORDER BY created_at DESC, id DESC LIMIT $1)',
      [KEPT],
    );
  }

  /** Newest first. */
  list(): Promise<CapturedMail[]> {
    return this.mails.find({ order: { createdAt: 'DESC', id: 'DESC' }, take: KEPT });
  }

  find(id: string): Promise<CapturedMail | null> {
    return this.mails.findOneBy({ id });
  }
}
