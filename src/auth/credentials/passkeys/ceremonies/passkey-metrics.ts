import { counter } from '../../../../common/metrics/process-metrics.js';
import { InvalidPasskey } from '../stored/passkeys.errors.js';

/** `second_factor`: after another factor; `registration`: a new passkey, also of a new account. */
type Ceremony = 'sign_in' | 'second_factor' | 'registration';

const CEREMONIES = counter({
  name: 'identity_passkey_ceremonies_total',
  help: 'Answers of authenticators, by ceremony and outcome: success, or why they prove nothing',
  labelNames: ['ceremony', 'outcome'],
});

/** Counts successes and invalid answers of authenticators. Other refusals are not about the passkey. */
export async function countedCeremony<T>(ceremony: Ceremony, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run();
    CEREMONIES.inc({ ceremony, outcome: 'success' });
    return result;
  } catch (error) {
    if (error instanceof InvalidPasskey) CEREMONIES.inc({ ceremony, outcome: error.fault });
    throw error;
  }
}
