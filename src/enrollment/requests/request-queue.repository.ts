import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Enrollment } from '../enrollments/enrollment.entity.js';
import { requestCountQuery, type RequestFilter, requestPageQuery } from './request-queue.query.js';
import { type RequestCursor, writeRequestCursor } from './request-cursor.js';

/** A user who waits for approval at an app. */
export interface WaitingRequest {
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly displayName: string;
  /** Whether the account is switched on. */
  readonly isActive: boolean;
  readonly appId: string;
  readonly appName: string;
  readonly tenantId: string;
  readonly tenantName: string;
  /** Message of the user, at most 1,000 characters. */
  readonly message: string | null;
  readonly askedAt: Date;
}

export interface RequestPage {
  readonly requests: WaitingRequest[];
  /** Cursor of the next page. */
  readonly next: string | null;
}

interface Row {
  readonly user_id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly display_name: string;
  readonly is_active: boolean;
  readonly app_id: string;
  readonly app_name: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly request_message: string | null;
  readonly created_at: Date;
  readonly micros: string;
}

/** Pending requests for access to the apps of a scope. */
@Injectable()
export class RequestQueueRepository {
  constructor(@InjectRepository(Enrollment) private readonly enrollments: Repository<Enrollment>) {}

  /** Longest wait first. */
  async page(
    filter: RequestFilter,
    after: RequestCursor | null,
    limit: number,
    tx?: EntityManager,
  ): Promise<RequestPage> {
    const { text, values } = requestPageQuery(filter, after, limit + 1);
    const rows = await (tx ?? this.enrollments.manager).query<Row[]>(text, values);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1)! : null;
    const next = last && writeRequestCursor({ micros: last.micros, appId: last.app_id, userId: last.user_id });
    return { requests: shown.map(requestOf), next };
  }

  /** Counted up to `most`. */
  async count(filter: RequestFilter, most: number, tx?: EntityManager): Promise<number> {
    const { text, values } = requestCountQuery(filter, most);
    const [found] = await (tx ?? this.enrollments.manager).query<{ count: number }[]>(text, values);
    return found!.count;
  }
}

function requestOf(row: Row): WaitingRequest {
  return {
    userId: row.user_id,
    email: row.email,
    emailVerified: row.email_verified,
    displayName: row.display_name,
    isActive: row.is_active,
    appId: row.app_id,
    appName: row.app_name,
    tenantId: row.tenant_id,
    tenantName: row.tenant_name,
    message: row.request_message,
    askedAt: row.created_at,
  };
}
