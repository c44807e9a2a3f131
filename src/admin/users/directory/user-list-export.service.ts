import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { ExportFiles } from '../../../auth/access/export-files.js';
import { authorityOf } from '../../../common/actor.js';
import type { TenantOrApp } from '../../../common/concurrency/caller-limits.js';
import { Clock } from '../../../common/clock.js';
import type { StreamedFile } from '../../../common/http/streams/streamed-file.js';
import { readCursor } from '../../../common/lists/page-cursor.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { UserFilter } from '../../../enrollment/users/user-list.query.js';
import type { UsersPage } from '../../../enrollment/users/visible-users.repository.js';
import { userScope } from '../../../enrollment/users/visible-users.service.js';
import type { User } from '../../../users/user.entity.js';
import { csvFile, csvLine } from '../../audit-log/csv.rules.js';
import { ExportedLists } from './exported-lists.js';
import { UserListService } from './user-list.service.js';

type Filter = Pick<UserFilter, 'appId' | 'search' | 'state'>;

const PAGE = 500;
/** Matches no tenant. */
const NO_TENANT = 'none';
const COLUMNS = [
  ...['id', 'email', 'display_name', 'email_verified', 'is_active', 'is_platform_admin', 'second_factor'],
  ...['created_at', 'last_sign_in_at'],
];

/** The list of users as a file, with all of its pages. */
@Injectable()
export class UserListExport {
  constructor(
    private readonly lists: UserListService,
    private readonly apps: AppsService,
    private readonly exported: ExportedLists,
    private readonly files: ExportFiles,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts against the rate limit and writes the audit entry before the first line. Holds no connection between pages.
   * @param closing aborted when the client has disconnected
   * @throws InsufficientPermissions for a foreign `appId`, RateLimited, and as {@link ExportFiles.begin}
   */
  async begin(ctx: RequestContext, filter: Filter, closing: AbortSignal): Promise<StreamedFile> {
    if (filter.appId) await this.lists.checkApp(ctx, filter.appId);
    return this.files.begin(ctx, await this.holders(ctx, filter), closing, () => this.open(ctx, filter));
  }

  private async open(ctx: RequestContext, filter: Filter): Promise<StreamedFile> {
    const first = await this.read(ctx, filter, 1, null);
    const app = filter.appId ? await this.apps.find(filter.appId) : null;
    await this.exported.record(ctx, {
      appId: app?.id,
      tenantId: app?.tenantId ?? onlyTenantOf(ctx),
      metadata: { format: 'csv', ...(first.total === null ? {} : { users: first.total }), filters: { ...filter } },
    });
    return csvFile('users', this.clock.now(), this.text(ctx, filter, first));
  }

  /** The app in the filter, otherwise everything that the reader administers. */
  private async holders({ actor }: RequestContext, { appId }: Filter): Promise<readonly TenantOrApp[]> {
    const { tenantIds, appIds } = userScope(actor);
    const apps = await this.apps.listTenantsOf(appId ? [appId] : appIds);
    const tenants = appId ? [] : tenantIds.map((tenantId) => ({ tenantId, appId: null }));
    const holders = [...tenants, ...apps.map(({ id, tenantId }) => ({ tenantId, appId: id }))];
    return holders.length > 0 ? holders : [{ tenantId: NO_TENANT, appId: null }];
  }

  private async *text(ctx: RequestContext, filter: Filter, first: UsersPage): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for (let page = 1, found = first; ; found = await this.read(ctx, filter, ++page, found.next)) {
      yield found.users.map((user) => csvLine(cellsOf(user))).join('');
      if (found.next === null) return;
    }
  }

  private read(ctx: RequestContext, filter: Filter, page: number, cursor: string | null): Promise<UsersPage> {
    return this.lists.list(ctx, { ...filter, page, limit: PAGE, cursor: cursor === null ? null : readCursor(cursor) });
  }
}

/** The tenant whose admins can read that their list was exported. */
function onlyTenantOf({ actor }: RequestContext): string | undefined {
  const { platform, tenants } = authorityOf(actor);
  return !platform && tenants.size === 1 ? [...tenants][0] : undefined;
}

function cellsOf(user: User): (string | null)[] {
  const { id, email, displayName, emailVerified, isActive, isPlatformAdmin, totpEnabledAt, createdAt, lastLoginAt } =
    user;
  return [
    ...[id, email, displayName, yes(emailVerified), yes(isActive), yes(isPlatformAdmin), yes(totpEnabledAt !== null)],
    ...[createdAt.toISOString(), lastLoginAt?.toISOString() ?? null],
  ];
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no';
}
