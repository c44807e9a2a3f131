import { ACTOR_TYPES, type ActorType } from '../../audit/entries/audit-action.js';
import { appChoices, type OwnApp } from '../frame/requests/own-apps.js';
import { EVENT_GROUPS } from '../timeline/event-sentences.js';
import { type AuditFilterForm, filterParameters } from './audit-filter.js';
import { RANGES } from './audit-period.rules.js';

const ACTORS: Readonly<Record<ActorType, string>> = {
  user: 'Users',
  service: 'Apps (service tokens)',
  system: 'The system',
  anonymous: 'Unknown',
};

/** Model of the log's filters. @param path of the page, in either spelling */
export function filterView(filter: AuditFilterForm, apps: readonly OwnApp[], path: string) {
  const { values, period, hidden } = filter;
  return {
    ...values,
    from: period.from,
    to: period.to,
    hidden: period.range ? [...hidden, { name: 'range', value: period.range }] : hidden,
    actions: actionGroups(values.action),
    actors: [
      option('', 'Anyone', values.actor_type),
      ...ACTOR_TYPES.map((type) => option(type, ACTORS[type], values.actor_type)),
    ],
    apps: chosenApps(apps, values.app_id),
    ranges: [
      { label: 'Any time', href: urlWith(filter, path, { range: '' }), isCurrent: !period.isSet },
      ...RANGES.map(({ id, label }) => ({
        label,
        href: urlWith(filter, path, { range: id }),
        isCurrent: id === period.range,
      })),
    ],
  };
}

/** URL with the same filters for one user. */
export function userLink(filter: AuditFilterForm, path: string, id: string): string {
  return urlWith(filter, path, { person: id }, false);
}

export function exportLinks(filter: AuditFilterForm) {
  const link = (label: string, format: string) => ({
    label,
    href: urlWith(filter, '/console/audit/export', { format }, false),
  });
  return [link('Export CSV', 'csv'), link('Export JSON lines', 'ndjson')];
}

/** @param isPeriod true for another period, which replaces the chosen days */
function urlWith(
  filter: AuditFilterForm,
  path: string,
  changed: Readonly<Record<string, string>>,
  isPeriod = true,
): string {
  const parameters = filterParameters(filter);
  if (isPeriod) for (const name of ['from', 'to']) parameters.delete(name);
  for (const [name, value] of Object.entries(changed))
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  const query = parameters.toString();
  return query ? `${path}?${query}` : path;
}

/** An id that is not one of the operator's apps stays in the form. */
function chosenApps(apps: readonly OwnApp[], chosen: string) {
  const groups = appChoices(apps, chosen.toLowerCase(), 'All apps');
  const isKnown = chosen === '' || apps.some(({ id }) => id === chosen.toLowerCase());
  return isKnown ? groups : [...groups, { label: '', options: [option(chosen, 'Unknown app', chosen)] }];
}

function actionGroups(chosen: string) {
  const groups = EVENT_GROUPS.map(({ label, actions }) => ({
    label,
    options: actions.map((action) => option(action, actionLabel(action), chosen)),
  }));
  const isKnown = groups.some(({ options }) => options.some(({ isChosen }) => isChosen));
  const other = chosen && !isKnown ? [{ label: 'Other', options: [option(chosen, chosen, chosen)] }] : [];
  return [...groups, ...other];
}

/** `user.login_failed` → `User login failed`. */
function actionLabel(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ').replace('totp', 'TOTP');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function option(value: string, label: string, chosen: string) {
  return { value, label, isChosen: value === chosen };
}
