import { resourcesOf } from '../../../tokens/protocol/resource.rules.js';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { faultResponse } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import {
  type RawParameters,
  closedAppFault,
  readAppId,
  readRedirectUri,
  readRequest,
  type RequestFault,
} from '../../hosted-sign-in/authorization-request/authorization-request.rules.js';
import { UNIDENTIFIED } from '../../hosted-sign-in/attempts/attempt-facts.service.js';
import { BrowserAttempts } from '../../hosted-sign-in/attempts/browser-attempts.js';
import { SignInPages } from '../../hosted-sign-in/pages/sign-in-pages.js';
import type { PreparedRequest, ProviderAttempt } from '../pages/prepared-request.js';
import { type ProviderHints, readHints, withoutHints } from './start.rules.js';

/** A sign-in that may continue at a provider, and the parameters that are passed on to the provider. */
export interface StartedAttempt {
  readonly attempt: ProviderAttempt;
  readonly hints: ProviderHints;
}

/**
 * Starts a sign-in for a provider button on an app's own page: the same request as at /login, with fewer parameters.
 */
@Injectable()
export class AppStart {
  constructor(
    private readonly directory: AppDirectory,
    private readonly attempts: BrowserAttempts,
    private readonly pages: SignInPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @returns null if the request was invalid and has been answered */
  async begin(provider: ProviderName, request: PreparedRequest, response: Response): Promise<StartedAttempt | null> {
    const raw = provider === 'google' ? request.query : withoutHints(request.query);
    const client = await this.findApp(raw, request, response);
    if (!client) return null;
    const target = readRedirectUri(withDefault(raw, client), client.redirectUris, this.settings.baseUrl);
    if ('fault' in target) {
      await this.pages.showFault(request.context.requestId, response, target.fault, client);
      return null;
    }
    const requested = readRequest(raw, target.redirectUri, client.app.config, false, resourcesOf(client));
    const hints = readHints(raw);
    if ('fault' in requested) return this.refuse(raw, target.redirectUri, requested.fault, response, client);
    if ('fault' in hints) {
      const fault = { error: 'invalid_request', description: `${hints.fault} is not acceptable` };
      return this.refuse(raw, target.redirectUri, fault, response, client);
    }
    const { attempt, secret } = await this.attempts.begin(client.app.id, requested.request, null, request, response);
    const state = { attempt, client, ...UNIDENTIFIED };
    return { attempt: { state, secret, provider, fromPage: false }, hints };
  }

  private async refuse(
    raw: RawParameters,
    redirectUri: string,
    fault: RequestFault,
    response: Response,
    client: RegisteredClient,
  ): Promise<null> {
    await this.pages.answer(response, faultResponse(raw, redirectUri, fault, this.settings.baseUrl), client, {
      isByUser: false,
    });
    return null;
  }

  private async findApp(
    raw: RawParameters,
    request: PreparedRequest,
    response: Response,
  ): Promise<RegisteredClient | null> {
    const named = readAppId(raw);
    const client = 'fault' in named ? null : await this.directory.find(named.appId);
    if (client?.isOpen) return client;
    const fault = 'fault' in named ? named.fault : closedAppFault(named.appId, client);
    await this.pages.showFault(request.context.requestId, response, fault, client);
    return null;
  }
}

/** Adds the first registered redirect URI if the request contains none. */
function withDefault(raw: RawParameters, { redirectUris }: RegisteredClient): RawParameters {
  const { redirect_uri: given } = raw;
  return given === undefined || given === '' ? { ...raw, redirect_uri: redirectUris[0] } : raw;
}
