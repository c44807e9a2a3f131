import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TenantsAdminService } from '../admin/tenants-admin.service.js';
import { AppDirectory, type KnownApp } from '../apps/app-directory.js';
import { AppsService } from '../apps/apps.service.js';
import { SsoSessionsService } from '../auth/session/sso-sessions.service.js';
import { BrowserBinding } from '../auth/sign-in/browser-binding.js';
import { SignInCompletionService } from '../auth/sign-in-completion.service.js';
import type { UserActor } from '../common/actor.js';
import { PageRenderer } from '../common/pages/page-renderer.js';
import type { RequestContext } from '../common/request-context.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import { AuthorizationCodesService } from '../tokens/grants/authorization-codes.service.js';
import { InvalidCode } from '../tokens/tokens.errors.js';
import { UsersService } from '../users/users.service.js';

const PURPOSE = 'console';
const NEWEST = { page: 1, limit: 200 };

/** Operators reach the console with their SSO session, through the hosted sign-in of the platform Console app. */
@Injectable()
export class ConsoleService {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly users: UsersService,
    private readonly completion: SignInCompletionService,
    private readonly codes: AuthorizationCodesService,
    private readonly tenants: TenantsAdminService,
    private readonly pages: PageRenderer,
  ) {}

  async overview(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    const actor = await this.identify(request);
    if (typeof actor === 'string') return this.login(request, response);
    const asActor = { ...ctx, actor };
    const administersTenants = actor.authority.platform || actor.authority.tenants.size > 0;
    const [{ tenants }, { apps }] = await Promise.all([
      administersTenants ? this.tenants.list(asActor, NEWEST) : { tenants: [] },
      this.apps.list(asActor, NEWEST),
    ]);
    const tenantNames = new Map(tenants.map(({ tenant }) => [tenant.id, tenant.name]));
    const secret = this.browser.ensure(request, response);
    await this.pages.send(response, {
      view: 'console/overview',
      title: 'Overview – Console',
      layout: 'console',
      model: {
        signedInAs: actor.email,
        isPlatformAdmin: actor.authority.platform,
        tenants: tenants.map(({ tenant, appCount, userCount }) => ({
          id: tenant.id,
          name: tenant.name,
          slug: tenant.slug,
          isActive: tenant.isActive,
          appCount,
          userCount,
        })),
        apps: apps.map((app) => ({
          id: app.id,
          name: app.name,
          bundleId: app.bundleId,
          isActive: app.isActive,
          tenantName: tenantNames.get(app.tenantId) ?? '',
        })),
        signOutAction: '/console/sign-out',
        formToken: this.browser.formToken(secret, PURPOSE),
      },
    });
  }

  /** To the hosted sign-in; whoever is signed in with an account that administers nothing is told so (403). */
  async login(request: Request, response: Response): Promise<void> {
    const address = await this.signInAddress(request, response);
    response.setHeader('Cache-Control', 'no-store');
    if ((await this.identify(request)) !== 'no_access') return response.redirect(302, address);
    await this.pages.send(response, {
      view: 'errors/error',
      title: 'Nothing to administer',
      status: 403,
      model: {
        heading: 'Nothing to administer',
        message: 'You do not have access: this account administers no tenant and no app.',
        developer: null,
        requestId: response.getHeader('X-Request-Id'),
        backUrl: `${address}&prompt=login`,
        backLabel: 'Use another account',
      },
    });
  }

  /** Takes only the answer to this browser's own sign-in, burns the code and leaves a clean address behind. */
  async callback(
    ctx: RequestContext,
    query: Record<string, unknown>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const secret = this.browser.read(request);
    const { code, state } = query;
    if (!secret || state !== this.state(secret) || typeof code !== 'string') return this.login(request, response);
    try {
      await this.codes.redeem(ctx, await this.platformConsole(), {
        code,
        codeVerifier: null,
        redirectUri: null,
        deviceId: null,
      });
    } catch (error) {
      if (!(error instanceof InvalidCode)) throw error;
    }
    response.redirect(303, '/console/');
  }

  async signOut(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    await this.sessions.end(ctx, request, response);
    response.redirect(303, '/console/login');
  }

  private async signInAddress(request: Request, response: Response): Promise<string> {
    const known = await this.platformConsole();
    const state = this.state(this.browser.ensure(request, response));
    const query = { app_id: known.app.id, redirect_uri: known.redirectUris[0]!, state };
    return `/login?${new URLSearchParams(query).toString()}`;
  }

  private async identify(request: Request): Promise<UserActor | 'signed_out' | 'no_access'> {
    const session = await this.sessions.find(request);
    if (!session) return 'signed_out';
    const known = await this.platformConsole();
    const [standing, user] = await Promise.all([
      this.enrollment.findStanding(session.userId),
      this.users.find(session.userId),
    ]);
    if (!standing || !user) return 'signed_out';
    // As at every app: the session may be older than the second factor, or than the demand for one.
    const { verdict } = await this.completion.judge(user, known, session.amr);
    if (verdict === 'second_factor_due' || verdict === 'second_factor_required') return 'signed_out';
    if (verdict !== 'enter') return 'no_access';
    return {
      type: 'user',
      userId: session.userId,
      email: standing.email,
      audience: known.app.id,
      authority: standing.authority,
    };
  }

  private async platformConsole(): Promise<KnownApp> {
    const { id } = await this.apps.getPlatformConsole();
    const known = await this.directory.findOpen(id);
    if (!known) throw new Error('The platform Console app is switched off');
    return known;
  }

  private state(secret: string): string {
    return this.browser.formToken(secret, 'console-login');
  }
}
