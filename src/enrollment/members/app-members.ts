import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { User } from '../../users/user.entity.js';
import { Enrollment, type EnrollmentStatus } from '../enrollments/enrollment.entity.js';

/**
 * Maximum number of administrators who get a mail, oldest account first: an app may have thousands, and an attacker who
 * adds many adds new ones.
 */
export const MAX_RECIPIENTS = 50;

/** A user enrolled in an app, in any state. */
export interface AppMember {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly status: EnrollmentStatus;
  /** Creation time of the enrollment. */
  readonly createdAt: Date;
}

/** The members of one app. The caller must check who may see them. */
@Injectable()
export class AppMembers {
  constructor(@InjectRepository(Enrollment) private readonly enrollments: Repository<Enrollment>) {}

  /** Newest first, with the total. @param page from 1 */
  async list(
    appId: string,
    { page, limit }: { page: number; limit: number },
  ): Promise<{ members: AppMember[]; total: number }> {
    const [members, total] = await Promise.all([
      this.of(appId)
        .orderBy('enrollment.createdAt', 'DESC')
        .addOrderBy('enrollment.userId', 'DESC')
        .limit(limit)
        .offset((page - 1) * limit)
        .getRawMany<AppMember>(),
      this.enrollments.countBy({ appId }),
    ]);
    return { members, total };
  }

  async find(appId: string, userId: string, tx?: EntityManager): Promise<AppMember | null> {
    const member = await this.of(appId, tx).andWhere('enrollment.userId = :userId', { userId }).getRawOne<AppMember>();
    return member ?? null;
  }

  /** The enrollments of these users in the app; users without one are left out. */
  among(appId: string, userIds: readonly string[]): Promise<Enrollment[]> {
    return this.enrollments.findBy({ appId, userId: In([...userIds]) });
  }

  /** As {@link among}, with names, in no particular order. */
  listAmong(appId: string, userIds: readonly string[], tx?: EntityManager): Promise<AppMember[]> {
    return this.of(appId, tx)
      .andWhere('enrollment.userId = ANY(:userIds)', { userIds: [...userIds] })
      .getRawMany<AppMember>();
  }

  /** Active members who may enter the app. */
  listActive(tx: EntityManager | null, appId: string): Promise<AppMember[]> {
    return this.of(appId, tx ?? undefined)
      .andWhere("enrollment.status = 'active' AND member.is_active")
      .orderBy('enrollment.userId')
      .getRawMany<AppMember>();
  }

  /**
   * The {@link MAX_RECIPIENTS} active members with a verified address to mail, oldest account first.
   * @param which `members` of a Console app are the admins of its tenant
   * @param except users to leave out
   */
  listRecipients(
    appId: string,
    which: 'admins' | 'members',
    tx?: EntityManager,
    except: readonly string[] = [],
  ): Promise<AppMember[]> {
    const found = this.of(appId, tx)
      .andWhere("enrollment.status = 'active' AND member.is_active AND member.email_verified")
      .andWhere('enrollment.userId <> ALL(:except)', { except: [...except] });
    const chosen = which === 'admins' ? found.andWhere("'admin' = ANY(enrollment.roles)") : found;
    return chosen.orderBy('enrollment.userId').limit(MAX_RECIPIENTS).getRawMany<AppMember>();
  }

  private of(appId: string, tx?: EntityManager) {
    return (tx?.getRepository(Enrollment) ?? this.enrollments)
      .createQueryBuilder('enrollment')
      .innerJoin(User, 'member', 'member.id = enrollment.userId')
      .select('enrollment.userId', 'userId')
      .addSelect('member.email', 'email')
      .addSelect('member.displayName', 'displayName')
      .addSelect('enrollment.status', 'status')
      .addSelect('enrollment.createdAt', 'createdAt')
      .where('enrollment.appId = :appId', { appId });
  }
}
