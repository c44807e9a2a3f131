import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UserCreate } from '../../../admin/users/creation/user.dto.js';
import { UserCreationService } from '../../../admin/users/creation/user-creation.service.js';
import { authorityOf } from '../../../common/actor.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { appChoices, type OwnApp, OwnApps } from '../../frame/requests/own-apps.js';

type Errors = readonly FormError[];

/** Creates a user, and enrolls them in an app if one is chosen. */
@Controller('console/users')
export class UserCreationController {
  constructor(
    private readonly users: UserCreationService,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
  ) {}

  @Get('new')
  @ConsolePage('tenant_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('app') app: unknown,
    @Query('app_q') typed: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const fields = { app_id: typeof app === 'string' ? app : '', email_verified: 'on' };
    return this.form(consoleRequest, response, fields, [], typed);
  }

  @Post()
  @ConsolePage('tenant_admin', { recentSignIn: 'for_authority', back: 'users/new' })
  @HttpCode(303)
  async create(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Body() body: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const { platform } = authorityOf(consoleRequest.actor);
    const form = readForm(UserCreate, {
      email: fields['email'],
      display_name: fields['display_name'],
      // The raw value, because {@link FormFields} trims blanks.
      password: body['password'] || undefined,
      app_id: fields['app_id'] || undefined,
      email_verified: platform ? fields['email_verified'] === 'on' : undefined,
    });
    if ('errors' in form) return this.form(consoleRequest, response, fields, form.errors);
    try {
      const user = await this.users.create(consoleRequest.ctx, form.input);
      await this.pages.redirectWithFlash(
        consoleRequest,
        response,
        `/console/users/${user.id}`,
        'The user was created.',
      );
    } catch (error) {
      const errors = formErrors(error, { user_already_exists: 'email', app_not_found: 'app_id' });
      return this.form(consoleRequest, response, fields, errors.map(aboutPassword));
    }
  }

  private async form(
    consoleRequest: ConsoleRequest,
    response: Response,
    fields: Fields,
    errors: Errors,
    typed: unknown = '',
  ): Promise<void> {
    const selection = await this.apps.select(consoleRequest, typed, fields['app_id'], { origin: 'operator' });
    const chosenId = selection.hit?.id ?? fields['app_id'];
    await this.pages.show(consoleRequest, response, {
      view: 'users/new',
      title: 'New user',
      area: 'users',
      status: errors.length > 0 ? 422 : 200,
      crumbs: [{ label: 'Users', href: '/console/users' }],
      model: {
        email: fields['email'] ?? '',
        displayName: fields['display_name'] ?? '',
        isPlatform: authorityOf(consoleRequest.actor).platform,
        isVerified: fields['email_verified'] === 'on',
        apps: appChoices(selection.apps.map(withConsequence), chosenId, 'None'),
        appFinder: selection.isSearchable ? { action: '/console/users/new', search: selection.search } : null,
        errors,
      },
    });
  }
}

/** Members of a Console app administer its tenant. The label says so, to prevent a mistake. */
function withConsequence(app: OwnApp): OwnApp {
  return app.isConsoleApp ? { ...app, label: `${app.label} (makes them a tenant admin)` } : app;
}

/** Every other refusal of this form is about the password. */
function aboutPassword(error: Errors[number]): Errors[number] {
  return error.field === null && typeof error.message === 'string' && /password/i.test(error.message)
    ? { ...error, field: 'password' }
    : error;
}
