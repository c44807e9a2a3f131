import { MailListQuery } from '../../admin/mail-log/mail-log.dto.js';
import type { Message } from '../../common/i18n/message.js';
import type { FormError } from '../../common/pages/form-error.js';
import { type MailState } from '../../mail/log/logged-mail.entity.js';
import { MAIL_KINDS, MAIL_TEMPLATES } from '../../mail/content/mail-subjects.js';
import { periodOf } from '../audit/audit-period.rules.js';
import { readForm } from '../frame/lists/form-input.js';
import { searchText } from '../../common/lists/search-text.js';
import { CONSOLE_PAGE_SIZE, readChosenPage } from '../frame/lists/pager.js';
import { optionsOf } from '../frame/lists/form-values.js';

type Raw = Readonly<Record<string, unknown>>;

export const STATE_WORDS: Readonly<Record<MailState, string>> = {
  queued: 'Queued',
  sent: 'Sent',
  bounced: 'Bounced',
  given_up: 'Failed',
  over_limit: 'Not sent',
};

/** The filters of the list, as in the URL. */
export interface MailFilterForm {
  /** As typed. */
  readonly values: Readonly<Record<'state' | 'template' | 'app_id' | 'q' | 'from' | 'to', string>>;
  readonly query: MailListQuery;
  /** Number of rows on a page. */
  readonly limit: number;
  readonly errors: readonly FormError[];
}

export function readMailFilter(raw: Raw, now: Date): MailFilterForm {
  const text = (name: string) => searchText(raw[name]);
  const { from, to, bounds } = periodOf({ range: '', from: text('from'), to: text('to') }, now);
  const values = {
    state: text('state'),
    template: text('template'),
    app_id: text('app_id'),
    q: text('q'),
    from,
    to,
  };
  const sent = {
    state: values.state,
    template: values.template,
    app_id: values.app_id,
    ...bounds,
  };
  const read = readForm(MailListQuery, Object.fromEntries(Object.entries(sent).filter(([, value]) => value)));
  const { limit } = readChosenPage(raw);
  return 'input' in read
    ? { values, limit, query: read.input, errors: [] }
    : { values, limit, query: new MailListQuery(), errors: read.errors };
}

/** URL of the same list, from the first page or after a cursor. */
export function mailsUrl(path: string, { values, limit }: MailFilterForm, cursor: string | null = null): string {
  const size = limit === CONSOLE_PAGE_SIZE ? '' : String(limit);
  const all = Object.entries({ ...values, per_page: size, cursor: cursor ?? '' }).filter(([, value]) => value !== '');
  const query = new URLSearchParams(all).toString();
  return query ? `${path}?${query}` : path;
}

export function stateOptions(chosen: string) {
  return optionsOf({ '': 'All states', ...STATE_WORDS }, chosen);
}

export function kindOptions(chosen: string) {
  const all: { value: string; label: string | Message }[] = [
    { value: '', label: 'All kinds' },
    ...MAIL_TEMPLATES.map((value) => ({ value, label: MAIL_KINDS[value] })),
  ];
  return all.map((each) => ({ ...each, isChosen: each.value === chosen }));
}
