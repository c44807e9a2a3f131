import { Controller, Get, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleVisit, Visit } from '../frame/console-visit.js';
import { formErrors } from '../frame/form-input.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { type FoundMember, MemberPage } from './member-page.js';

interface Act {
  run(memberships: MembershipsService, ...args: Parameters<MembershipsService['approve']>): Promise<void>;
  readonly done: (name: string) => string;
  /** What is asked first; null: nothing is lost by it. */
  readonly question: { title: (name: string, app: string) => string; lead: string; button: string } | null;
  /** There is no page of theirs left. */
  readonly isEnd: boolean;
}

const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  [
    'approve',
    {
      run: (memberships, ...args) => memberships.approve(...args),
      done: (name) => `${name} is let in, and gets an e-mail that says so.`,
      question: null,
      isEnd: false,
    },
  ],
  [
    'deny',
    {
      run: (memberships, ...args) => memberships.deny(...args),
      done: (name) => `The request of ${name} is denied.`,
      question: {
        title: (name) => `Deny the request of ${name}?`,
        lead: 'The request goes away and nobody is told. They may ask again.',
        button: 'Deny',
      },
      isEnd: true,
    },
  ],
  [
    'suspend',
    {
      run: (memberships, ...args) => memberships.suspend(...args),
      done: (name) => `${name} is suspended and signed out everywhere in this app.`,
      question: {
        title: (name, app) => `Suspend ${name} in ${app}?`,
        lead: 'They cannot sign in to this app, and are signed out of it on all devices at once, until you reactivate them.',
        button: 'Suspend',
      },
      isEnd: false,
    },
  ],
  [
    'reactivate',
    {
      run: (memberships, ...args) => memberships.reactivate(...args),
      done: (name) => `${name} may sign in again.`,
      question: null,
      isEnd: false,
    },
  ],
  [
    'remove',
    {
      run: (memberships, ...args) => memberships.remove(...args),
      done: (name) => `${name} is no longer in this app.`,
      question: {
        title: (name, app) => `Remove ${name} from ${app}?`,
        lead: 'Their roles here are lost and their tokens for this app stop working at once. Their account stays.',
        button: 'Remove',
      },
      isEnd: true,
    },
  ],
]);

/** What is done with somebody's place in an app; asked first where they lose something. */
@Controller('console/apps/:app_id/members/:user_id/:act')
export class MemberActsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly member: MemberPage,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async ask(
    @Visit() visit: ConsoleVisit,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(visit, id, userId);
    const question = ACTS.get(name)?.question;
    if (!question) throw new NotFoundException();
    const { app, user, enrollment } = found;
    await this.pages.ask(visit, response, app, 'members', {
      title: question.title(user.displayName, app.name),
      lead: question.lead,
      impact: [
        { label: 'Person', value: `${user.displayName}, ${user.email}` },
        { label: 'Roles', value: enrollment.roles.join(', ') },
      ],
      action: placeOf(found, `/${name}`),
      button: question.button,
      cancelUrl: placeOf(found),
    });
  }

  @Post()
  @ConsolePage('app_admin')
  async run(
    @Visit() visit: ConsoleVisit,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(visit, id, userId);
    const act = ACTS.get(name);
    if (!act) throw new NotFoundException();
    try {
      await act.run(this.memberships, visit.ctx, userId, id);
    } catch (error) {
      return this.member.show(visit, response, id, userId, null, formErrors(error));
    }
    const path = act.isEnd ? appPath(found.app, 'members') : placeOf(found);
    await this.pages.leave(visit, response, path, act.done(found.user.displayName));
  }
}

function placeOf({ app, user }: FoundMember, below = ''): string {
  return appPath(app, 'members', `/${user.id}${below}`);
}
