// Controls of the queues: kinds of work do not wait for each other, and nothing runs twice; see scripts/sabotage.mjs.
export default [
  {
    item: 'F2',
    control: 'a job is done in the transaction of what it writes',
    file: 'src/delivery/job-runner.ts',
    out: 'this.repository.markDone(id, tx);',
    into: 'this.repository.markDone(id, void tx);',
    tests: ['test/db/delivery/in-process.spec.ts'],
  },
  {
    item: 99,
    control: 'a queue runs its own jobs only, so that another kind of work does not take its places',
    file: 'src/delivery/outbox.repository.ts',
    out: 'WHERE queue = $3 AND ${PENDING} AND ${UNLOCKED}',
    into: "WHERE queue <> $3 || '-' AND ${PENDING} AND ${UNLOCKED}",
    tests: ['test/db/delivery/in-process.spec.ts'],
  },
  {
    item: 99,
    control: 'a long attempt keeps its lease while its process lives',
    file: 'src/delivery/engine/queue-engine.ts',
    out: 'if (this.renewal || leaseSeconds > attemptSeconds) return;',
    into: 'if (this.renewal || leaseSeconds < attemptSeconds) return;',
    tests: ['test/db/delivery/in-process.spec.ts'],
  },
  {
    item: 99,
    control: 'what does not finish before a stop is released to other processes',
    file: 'src/delivery/engine/queue-engine.ts',
    out: 'await this.release([...this.items()]);',
    into: '',
    tests: ['test/unit/delivery/queue-engine.spec.ts', 'test/db/delivery/in-process.spec.ts'],
  },
  {
    item: 99,
    control: 'Bull and the sweep together run no more jobs of a queue than it has places',
    file: 'src/delivery/engine/queue-engine.ts',
    out: 'while (!this.stopping && this.capacityOf(group) === 0) await this.nextEnd();',
    into: '',
    tests: ['test/unit/delivery/queue-processor.spec.ts'],
  },
];
