import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Scope } from '../common/actor.js';
import { User } from '../users/user.entity.js';

export interface PeopleFilter {
  readonly scope: Scope;
  readonly appId?: string;
  /** Substring of the address, literally. */
  readonly search?: string;
  readonly limit: number;
  readonly page: number;
}

/** Whether a user is enrolled in something that the scope covers. */
const ENROLLED_IN_SCOPE = `EXISTS (
  SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
  WHERE e.user_id = "user".id AND (a.tenant_id = ANY(:tenantIds) OR a.id = ANY(:appIds)))`;

/** Users as an administrator may see them: rows are cut by enrollment, here and nowhere else. */
@Injectable()
export class PeopleRepository {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  /** Newest first, with the total. */
  async list(filter: PeopleFilter): Promise<{ users: User[]; total: number }> {
    const query = this.users.createQueryBuilder('user');
    if (!filter.scope.everything) query.andWhere(ENROLLED_IN_SCOPE, filter.scope);
    if (filter.appId) {
      query.andWhere('EXISTS (SELECT 1 FROM enrollments e WHERE e.user_id = "user".id AND e.app_id = :appId)', {
        appId: filter.appId,
      });
    }
    if (filter.search)
      query.andWhere('user.emailCanonical LIKE :pattern', { pattern: `%${literally(filter.search)}%` });
    const [users, total] = await query
      .orderBy('user.createdAt', 'DESC')
      .addOrderBy('user.id', 'DESC')
      .take(filter.limit)
      .skip((filter.page - 1) * filter.limit)
      .getManyAndCount();
    return { users, total };
  }

  /** Addresses that begin with the prefix, in order; at most `limit`. */
  searchByPrefix(scope: Scope, prefix: string, limit: number): Promise<User[]> {
    const query = this.users
      .createQueryBuilder('user')
      .where('user.emailCanonical LIKE :pattern', { pattern: `${literally(prefix)}%` });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    return query.orderBy('user.emailCanonical').take(limit).getMany();
  }

  findVisible(userId: string, scope: Scope, tx?: EntityManager): Promise<User | null> {
    const query = (tx?.getRepository(User) ?? this.users)
      .createQueryBuilder('user')
      .where('user.id = :userId', { userId });
    if (!scope.everything) query.andWhere(ENROLLED_IN_SCOPE, scope);
    return query.getOne();
  }
}

/** `%`, `_` and `\` stand for themselves. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
