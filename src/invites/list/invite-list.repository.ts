import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { AppOrigin } from '../../apps/app/app-origin.rules.js';
import type { PageCursor } from '../../common/lists/page-cursor.js';
import { DeepPages, type PageStart } from '../../database/queries/deep-pages.js';
import type { Query } from '../../database/queries/query.js';
import { Invite } from '../invite/invite.entity.js';
import { inviteCountQuery, type InviteFilter, inviteMilestonesQuery, invitePageQuery } from './invite-list.query.js';

/** An invite's position in the list, and its app. */
export interface ListedInvite {
  readonly id: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly is_console_app: boolean;
  readonly app_origin: AppOrigin;
  readonly tenant_id: string;
  readonly tenant_name: string;
}

/** Invites to all apps of a scope. */
@Injectable()
export class InviteListRepository {
  constructor(
    @InjectRepository(Invite) private readonly invites: Repository<Invite>,
    private readonly deepPages: DeepPages,
  ) {}

  /** Newest first; one more than `filter.limit` if there is a next page. */
  async list(filter: InviteFilter): Promise<ListedInvite[]> {
    return this.ask<ListedInvite>(invitePageQuery(filter, await this.startOfPage(filter)));
  }

  private startOfPage(filter: InviteFilter): Promise<PageStart> {
    return this.deepPages.find('invites', filter, {
      milestones: (every) => this.ask<PageCursor>(inviteMilestonesQuery(filter, every)),
      countAhead: async (cursor, most) => {
        const [found] = await this.ask<{ count: number }>(inviteCountQuery(filter, most, { side: 'ahead of', cursor }));
        return found!.count;
      },
    });
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.invites.query<Row[]>(text, values);
  }
}
