import { Injectable } from '@nestjs/common';
import type { AuditSelectionQuery } from '../../admin/audit-log/audit.dto.js';
import { UserListService } from '../../admin/users/directory/user-list.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { foldedEmail, judgeEmail } from '../../common/validation/email.rules.js';
import { isUuid } from '../../common/validation/fields.js';
import type { User } from '../../users/user.entity.js';

/** The users that match a typed text. */
export interface UserSearchResult {
  /** For the filter; null: no user matches, or several do. */
  readonly filter: Pick<AuditSelectionQuery, 'person_id' | 'tried_email'> | null;
  /** The matching users. */
  readonly choices: readonly User[];
}

const MAX_CHOICES = 8;

/** Finds the user of a filter by an id, or by the search of the list of users. */
@Injectable()
export class AuditUserSearch {
  constructor(private readonly users: UserListService) {}

  async find(ctx: RequestContext, typed: string): Promise<UserSearchResult> {
    if (typed === '') return { filter: {}, choices: [] };
    if (isUuid(typed)) return { filter: { person_id: typed.toLowerCase() }, choices: [] };
    const { users } = await this.users.list(ctx, { search: typed, page: 1, limit: MAX_CHOICES });
    const exact = users.find(({ emailCanonical }) => emailCanonical === foldedEmail(typed));
    const meant = exact ?? (users.length === 1 ? users[0] : undefined);
    if (meant) return { filter: { person_id: meant.id }, choices: [] };
    // An address without an account can still have failed sign-ins.
    if (users.length === 0 && judgeEmail(typed) === 'ok') return { filter: { tried_email: typed }, choices: [] };
    return { filter: null, choices: users };
  }
}
