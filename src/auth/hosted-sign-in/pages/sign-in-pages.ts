import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { prefersHtml } from '../../../common/errors/error.filter.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import { appBrand } from '../../../apps/directory/app-brand.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { OnwardRedirect } from '../redirects/onward-redirect.js';
import { LastMethod } from '../../session/last-method.js';
import { signInModel } from './sign-in-model.js';
import { InvalidSignInAddress } from '../authorization-request/sign-in.errors.js';
import {
  responseFields,
  responseUri,
  type AuthorizationResponse,
} from '../authorization-request/authorization-response.rules.js';
import type { PageFault } from '../authorization-request/authorization-request.rules.js';
import type { Form, SignInState, SignInStep, StepPage } from '../attempts/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';

/** Renders steps and refusals of the hosted sign-in, in the app's branding. */
@Injectable()
export class SignInPages {
  constructor(
    private readonly renderer: PageRenderer,
    private readonly browser: BrowserBinding,
    private readonly lastMethod: LastMethod,
    private readonly onward: OnwardRedirect,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async showStep(
    response: Response,
    secret: string,
    step: SignInStep,
    state: SignInState,
    shown: { status: number; form: Form; errors: readonly FormError[] } = { status: 200, form: {}, errors: [] },
  ): Promise<void> {
    const page = await step.page(state, shown.form, shown.errors);
    await this.showPage(response, secret, page, state, {
      status: shown.status,
      action: `/sign-in/${state.attempt.id}/${step.name}`,
    });
  }

  async showPage(
    response: Response,
    secret: string,
    page: StepPage,
    state: SignInState,
    { status, action }: { status: number; action: string } = { status: 200, action: '' },
  ): Promise<void> {
    const { attempt, client, user } = state;
    const lastMethod = this.lastMethod.read(response.req);
    const formToken = this.browser.formToken(secret, attempt.id);
    await this.renderer.send(response, {
      view: page.view,
      title: page.title,
      status,
      brand: appBrand(client),
      formTargets: [attempt.request.redirectUri],
      uiLocales: attempt.request.uiLocales,
      userLocale: user?.locale,
      model: signInModel(this.settings, state, page, { lastMethod, action, formToken }),
    });
  }

  /**
   * Sends the browser back to the app, with the response mode of its request. An error is sent to a client that no
   * operator has reviewed only if the user has pressed a button: otherwise any page could redirect through the service
   * to its own URL, and learn whether the user is signed in (RFC 9700 section 4.11.2).
   * @param isByUser by a link or form of the service's own page, for this attempt; a POST alone may come from any page
   */
  async answer(
    response: Response,
    answer: AuthorizationResponse,
    { app }: RegisteredClient,
    { isByUser }: { readonly isByUser: boolean },
  ): Promise<void> {
    if (answer.parameters['error'] && isSelfRegistered(app) && !isByUser) return this.showWayBack(response, answer);
    if (answer.mode === 'form_post') return this.showForm(response, answer);
    await this.onward.send(response.req, response, responseUri(answer));
  }

  /**
   * As {@link answer}, at the end of a sign-in: users of a native app, and users who have allowed a device, get a page
   * with the result.
   */
  async answerSignedIn(
    response: Response,
    answer: AuthorizationResponse,
    { attempt, client }: Pick<SignInState, 'attempt' | 'client'>,
    { isByUser }: { readonly isByUser: boolean },
  ): Promise<void> {
    if (answer.mode === 'form_post' || answer.parameters['error'])
      return this.answer(response, answer, client, { isByUser });
    if (attempt.request.purpose === 'device') return this.showDeviceAllowed(response, client);
    await this.onward.openApp(response.req, response, responseUri(answer), appBrand(client));
  }

  private async showDeviceAllowed(response: Response, client: RegisteredClient): Promise<void> {
    const heading = message('sign-in.approve_device.allowed');
    await this.renderer.send(response, {
      view: 'sign-in/done',
      title: heading,
      brand: appBrand(client),
      model: {
        heading,
        message: message('sign-in.approve_device.allowed_lead', { app: client.app.name }),
        action: { href: '/account', label: message('sign-in.go_to_your_account') },
      },
    });
  }

  private async showWayBack(response: Response, answer: AuthorizationResponse): Promise<void> {
    const heading = message('sign-in.way_back.heading');
    const isForm = answer.mode === 'form_post';
    await this.renderer.send(response, {
      view: 'sign-in/way-back',
      title: heading,
      status: 400,
      formTargets: isForm ? 'any' : undefined,
      model: {
        heading,
        host: hostOf(answer.redirectUri),
        target: isForm ? answer.redirectUri : responseUri(answer),
        fields: isForm ? responseFields(answer.parameters) : [],
      },
    });
  }

  /**
   * OAuth 2.0 Form Post Response Mode: a page that posts itself to the app; without scripts, the user presses its
   * button.
   */
  private async showForm(response: Response, { redirectUri, parameters }: AuthorizationResponse): Promise<void> {
    await this.renderer.send(response, {
      view: 'sign-in/form-post',
      title: message('sign-in.form_post.heading'),
      // The app may redirect from its callback to another origin, and a form that posts to the app cannot be ended by a
      // page of the service.
      formTargets: 'any',
      model: { target: redirectUri, fields: responseFields(parameters) },
    });
  }

  /**
   * Shows the error with status 400 and without a redirect, because the URL may belong to an attacker.
   * @throws InvalidSignInAddress for a client that does not accept HTML
   */
  async showFault(
    requestId: string,
    response: Response,
    fault: PageFault,
    client: RegisteredClient | null,
  ): Promise<void> {
    const fix = FIXES[`${fault.parameter}:${fault.problem}`] ?? FIXES[fault.problem]!;
    if (!prefersHtml(response.req)) throw new InvalidSignInAddress(fault.parameter, fix);
    const isOff = client !== null && fault.problem === 'switched_off';
    const heading = isOff ? message('sign-in.app_off', { app: client.app.name }) : message('sign-in.link_broken');
    await this.renderer.send(response, {
      view: 'errors/error',
      title: heading,
      status: 400,
      brand: client ? appBrand(client) : undefined,
      model: {
        heading,
        message: isOff ? message('sign-in.app_off_lead') : message('sign-in.link_broken_lead'),
        developer: {
          parameter: fault.parameter,
          received: fault.received,
          fix,
        },
        requestId,
        backUrl: '/account',
        backLabel: message('sign-in.go_to_your_account'),
      },
    });
  }
}

/** Host of the redirect URI; null if it is not https, which means a program on the device of the user. */
function hostOf(redirectUri: string): string | null {
  const url = new URL(redirectUri);
  return url.protocol === 'https:' ? url.host : null;
}

const FIXES: Readonly<Record<string, string>> = {
  missing: 'Send this parameter with every request to /login.',
  repeated: 'Send this parameter exactly once.',
  malformed: 'It must be the UUID that the console shows as the app’s id.',
  'app_id:switched_off': 'Switch on the app, or its tenant, in the console.',
  'app_id:unknown': 'No app with this id is switched on. Copy the id from the app’s page in the console.',
  'request_uri:spent':
    'Push the request again for each sign-in (POST /auth/par), and send the browser within a minute.',
  'redirect_uri:not_registered':
    'Add exactly this address to the app’s redirect URIs (config.redirect_uris), in the console or by PUT /admin/apps/{app_id}.',
};
