import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { MOST_COUNTED } from '../../delivery/dead-letters.repository.js';
import type { QueueOverview } from '../../operations/queues/queues.service.js';
import { column } from '../frame/table-column.js';
import { JOB_WORDS, LIMIT_WORDS, waitInWords } from './queue-words.js';

const JOB_COLUMNS = [
  column('Job'),
  column('Waiting', { className: 'col-number number' }),
  column('Given up', { className: 'col-number number' }),
];
const LETTER_COLUMNS = [
  column('Job and reason'),
  column('Tries', { className: 'col-number number' }),
  column('Given up', { className: 'col-when' }),
  column('Act', { className: 'col-acts' }),
];
const LIMIT_COLUMNS = [
  column('Limit'),
  column('Of whom'),
  column('Tries', { className: 'col-number number' }),
  column('Left', { className: 'col-when' }),
];

/** What the page of the queue and the limits shows. */
@Injectable()
export class QueuePages {
  constructor(private readonly clock: Clock) {}

  model({ state, jobs, letters, limits }: QueueOverview): Record<string, unknown> {
    const now = this.clock.now();
    return {
      jobColumns: JOB_COLUMNS,
      letterColumns: LETTER_COLUMNS,
      limitColumns: LIMIT_COLUMNS,
      figures: [
        { label: 'Waiting', value: bounded(state.pending) },
        { label: 'Due now', value: bounded(state.due) },
        { label: 'Running', value: bounded(state.running) },
        { label: 'Done in the last hour', value: bounded(state.done) },
        { label: 'Given up', value: bounded(state.dead) },
      ],
      oldestDue: state.oldestDueAt && timeInWords(state.oldestDueAt, now),
      jobs: jobs.map(({ job, pending, dead }) => ({ job, what: JOB_WORDS[job] ?? job, pending, dead })),
      letters: letters.letters.map((letter) => ({
        id: letter.id,
        job: letter.job,
        what: JOB_WORDS[letter.job] ?? letter.job,
        reason: letter.lastError ?? 'No reason was written down',
        attempts: letter.attempts,
        deadAt: timeInWords(letter.deadAt, now),
        isTooLate: letter.isTooLate,
      })),
      olderUrl: letters.next && `/console/queues?cursor=${encodeURIComponent(letters.next)}`,
      limits: limits.map(({ label, key, count, points, ttl }) => ({
        label,
        what: LIMIT_WORDS[label],
        key,
        count,
        points,
        left: waitInWords(ttl),
      })),
    };
  }
}

function bounded(count: number): string {
  return count > MOST_COUNTED ? `More than ${MOST_COUNTED.toLocaleString('en')}` : count.toLocaleString('en');
}
