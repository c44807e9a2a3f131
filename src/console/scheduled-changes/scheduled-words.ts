import type {
  FailureReason,
  ScheduledChange,
  ScheduledState,
} from '../../operators/scheduled-changes/scheduled-change.entity.js';

const STATES: Readonly<Record<ScheduledState, { text: string; tone: string }>> = {
  planned: { text: 'Planned', tone: 'info' },
  executed: { text: 'Made', tone: 'plain' },
  cancelled: { text: 'Cancelled', tone: 'neutral' },
  failed: { text: 'Not made', tone: 'bad' },
};

const PROBLEMS: Readonly<Record<FailureReason, string>> = {
  late: 'The service could not make it for a day.',
  authority: 'The user or app that scheduled it may no longer make it.',
  refused: 'The settings can no longer be saved in this way.',
  lock_out: 'It would have locked out who scheduled it.',
  lock_out_of_all: 'It would have locked out all administrators.',
  changed_meanwhile: 'The same settings were changed in the meantime.',
};

export function stateInWords(state: ScheduledState): { text: string; tone: string } {
  return STATES[state];
}

/** Null: it has not failed. */
export function problemOf({ result }: ScheduledChange): string | null {
  return result?.reason ? PROBLEMS[result.reason] : null;
}

/** `require 2fa: true; allowed providers: password, passkey`. */
export function settingsInWords({ change }: Pick<ScheduledChange, 'change'>): string {
  const { config, ...rest } = change as { config?: object };
  return Object.entries({ ...rest, ...config })
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueInWords(value)}`)
    .join('; ');
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}
