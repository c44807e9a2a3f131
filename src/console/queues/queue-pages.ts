import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { type DeadLetter, MAX_COUNTED_LETTERS } from '../../delivery/outbox/dead-letters.repository.js';
import type { QueueOverview } from '../../operations/queues/queues.service.js';
import { type Confirmation, PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { column } from '../frame/lists/table-column.js';
import { LIMIT_COLUMNS, limitRow } from './limit-rows.js';
import { JOB_WORDS, QUEUE_WORDS } from './queue-words.js';

const QUEUE_COLUMNS = [
  column('Queue'),
  column('Waiting', { className: 'number' }),
  column('Running', { className: 'number' }),
  column('Failed', { className: 'number' }),
  column('Oldest due'),
];
const JOB_COLUMNS = [
  column('Job'),
  column('Waiting', { className: 'number' }),
  column('Failed', { className: 'number' }),
];
const LETTER_COLUMNS = [
  column('Job and reason'),
  column('Attempts', { className: 'number' }),
  column('Failed'),
  column('Actions'),
];

const NO_REASON = 'No reason was recorded';

/** Models of the pages of the queues and limits. */
@Injectable()
export class QueuePages {
  constructor(private readonly clock: Clock) {}

  discardQuestion({ id, job, lastError, attempts, deadAt }: DeadLetter): Confirmation {
    return {
      ...PLAIN_CONFIRMATION,
      title: 'Discard this job?',
      lead: 'The job will not run, and you cannot restore it. No notification is sent.',
      area: 'limits',
      crumbs: [{ label: 'Limits and queues', href: '/console/queues' }],
      impact: [
        { label: 'Job', value: `${JOB_WORDS[job] ?? job} (${job})` },
        { label: 'Reason', value: lastError ?? NO_REASON },
        { label: 'Attempts', value: attempts.toLocaleString('en') },
        { label: 'Failed', value: timeInWords(deadAt, this.clock.now()).words },
      ],
      isDanger: true,
      action: `/console/queues/${id}/discard`,
      button: 'Discard job',
      cancelUrl: '/console/queues',
    };
  }

  model({ state, queues, jobs, letters, limits }: QueueOverview): Record<string, unknown> {
    const now = this.clock.now();
    return {
      queueColumns: QUEUE_COLUMNS,
      jobColumns: JOB_COLUMNS,
      letterColumns: LETTER_COLUMNS,
      limitColumns: LIMIT_COLUMNS,
      figures: [
        { label: 'Waiting', value: bounded(state.pending) },
        { label: 'Due now', value: bounded(state.due) },
        { label: 'Running', value: bounded(state.running) },
        { label: 'Done in the last hour', value: bounded(state.done) },
        { label: 'Failed', value: bounded(state.dead) },
      ],
      oldestDue: state.oldestDueAt && timeInWords(state.oldestDueAt, now),
      queues: queues.map(({ queue, waiting, running, dead, oldestDueAt }) => ({
        queue,
        what: QUEUE_WORDS[queue],
        waiting: bounded(waiting),
        running: bounded(running),
        dead: bounded(dead),
        oldestDue: oldestDueAt && timeInWords(oldestDueAt, now),
      })),
      jobs: jobs.map(({ job, pending, dead }) => ({ job, what: JOB_WORDS[job] ?? job, pending, dead })),
      letters: letters.letters.map((letter) => ({
        id: letter.id,
        job: letter.job,
        what: JOB_WORDS[letter.job] ?? letter.job,
        reason: letter.lastError ?? NO_REASON,
        attempts: letter.attempts,
        deadAt: timeInWords(letter.deadAt, now),
        isTooLate: letter.isTooLate,
      })),
      olderUrl: letters.next && `/console/queues?cursor=${encodeURIComponent(letters.next)}`,
      limits: limits.map(limitRow),
    };
  }
}

function bounded(count: number): string {
  return count > MAX_COUNTED_LETTERS
    ? `More than ${MAX_COUNTED_LETTERS.toLocaleString('en')}`
    : count.toLocaleString('en');
}
