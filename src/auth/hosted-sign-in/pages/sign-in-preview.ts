import { Inject, Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../../common/validation/nil-uuid.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { Page } from '../../../common/pages/page.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { plainRequest } from '../authorization-request/authorization-request.js';
import { UNIDENTIFIED } from '../attempts/attempt-facts.service.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';
import { signInModel } from './sign-in-model.js';
import { SignInService } from '../completion/sign-in.service.js';
import type { SignInState } from '../attempts/sign-in-step.js';

/** Instead of the id of an attempt: the preview has no working buttons, and no attempt has this id. */
const NO_ATTEMPT = NIL_UUID;

/** Preview of the first page of a sign-in at an app: the same view and model, without an attempt. */
@Injectable()
export class SignInPreview {
  constructor(
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async page(client: RegisteredClient): Promise<Pick<Page, 'view' | 'title' | 'model'>> {
    const request = plainRequest(this.settings.baseUrl);
    const attempt = { id: NO_ATTEMPT, request, amr: [] as string[], finishedAt: null } as SignInAttempt;
    const state: SignInState = { attempt, client, ...UNIDENTIFIED };
    const { view, title, model } = await this.signIns.firstStep(client).page(state, {}, []);
    const page = signInModel(this.settings, state, { view, title, model }, UNUSED);
    // Without the passkey action, because a script would show its button.
    return { view, title, model: { ...page, passkeyAction: null, mayFocus: false } };
  }
}

const UNUSED = { lastMethod: null, action: '', formToken: '' };
