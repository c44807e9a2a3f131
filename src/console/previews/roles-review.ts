import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../apps/app/app.entity.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { ActPreviews } from '../../previews/acts/act-previews.service.js';
import { type Confirmation, PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest, Fields } from '../frame/requests/console-request.js';
import { factsOf } from './act-facts.js';

export interface RolesForm {
  readonly app: App;
  readonly userId: string;
  /** The new roles. */
  readonly roles: readonly string[];
  readonly fields: Fields;
  /** The page of the roles, and the path of its form. */
  readonly page: Pick<Confirmation, 'title' | 'area' | 'crumbs' | 'action' | 'cancelUrl' | 'tenantId'>;
}

const OWN_FIELDS = ['form_token', 'reviewed'];

/** Shows the effects of new roles on a user's sign-in before they are saved. */
@Injectable()
export class RolesReview {
  constructor(
    private readonly previews: ActPreviews,
    private readonly enrollment: EnrollmentService,
    private readonly pages: ConsolePages,
  ) {}

  /**
   * Sends a page if the user loses something and the operator has not seen it. @returns whether the roles can be saved
   * @throws ReauthenticationRequired, so that the operator is not asked to review the roles twice
   */
  async isReviewed(
    consoleRequest: ConsoleRequest,
    response: Response,
    { app, userId, roles, fields, page }: RolesForm,
  ): Promise<boolean> {
    await this.enrollment.checkConfirmed(consoleRequest.ctx, userId, app, roles);
    const change = { act: 'set_roles', userIds: [userId], roles } as const;
    const preview = await this.previews.ofMembers(consoleRequest.ctx, app.id, change);
    const losses = preview.effects.filter(({ effect }) => effect !== 'let_in');
    const reviewed = losses.map(({ effect, count }) => `${effect}:${count}`).join(',');
    if (losses.length === 0 || fields['reviewed'] === reviewed) return true;
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      ...page,
      lead: 'The roles are not saved yet. With these roles, the user’s next sign-in changes.',
      impact: factsOf(preview),
      hidden: [
        { name: 'reviewed', value: reviewed },
        ...Object.entries(fields)
          .filter(([name]) => !OWN_FIELDS.includes(name))
          .map(([name, value]) => ({ name, value })),
      ],
      button: 'Save roles',
    });
    return false;
  }
}
