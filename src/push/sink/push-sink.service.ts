import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { CapturedPush } from './captured-push.entity.js';

const KEPT = 200;

/** Captured pushes of the embedded mode. */
@Injectable()
export class PushSink {
  constructor(@InjectRepository(CapturedPush) private readonly pushes: Repository<CapturedPush>) {}

  async keep(push: Omit<CapturedPush, 'createdAt'>): Promise<void> {
    await this.pushes.createQueryBuilder().insert().values(push).orIgnore().execute();
    await this.pushes.query(
      'DELETE FROM captured_pushes WHERE id NOT IN (SELECT id FROM captured_pushes ORDER BY created_at DESC, id DESC LIMIT $1)',
      [KEPT],
    );
  }

  /** Which of these deliveries are kept here. */
  async capturedAmong(deliveryIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.pushes.find({ select: { id: true }, where: { id: In([...deliveryIds]) } });
    return new Set(found.map(({ id }) => id));
  }

  /** Newest first. */
  list(): Promise<CapturedPush[]> {
    return this.pushes.find({ order: { createdAt: 'DESC', id: 'DESC' }, take: KEPT });
  }
}
