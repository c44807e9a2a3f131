import { CommandFactory } from 'nest-commander';
import { CliModule } from './cli.module.js';
import { Refusal } from '../common/refusal.js';
import { EnvironmentFault, readEnvironment } from '../config/env.js';
import { attachEmbeddedMode } from '../embedded/attach-embedded-mode.js';

/** SQLSTATE, see appendix A of PostgreSQL's documentation. */
const UNDEFINED_TABLE = '42P01';

/** Runs one command of the command line, then ends the process. */
export async function runCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const given = readEnvironment(environment);
    const mode = given.embedded ? await attachEmbeddedMode(given) : { settings: given, stop: () => Promise.resolve() };
    try {
      await CommandFactory.run(CliModule.register(mode.settings), {
        logger: ['error', 'fatal'],
        errorHandler: (error) => {
          // Commander has already printed its own errors.
          if (!(error as { code?: string }).code?.startsWith('commander.')) process.stderr.write(`${error.message}\n`);
          process.exitCode = 1;
        },
        // The library would print an error of a command and exit with 0.
        serviceErrorHandler: (error) => {
          process.stderr.write(`${error instanceof Refusal ? error.message : String(error.stack)}\n`);
          process.exitCode = 1;
        },
      });
    } finally {
      await mode.stop();
    }
    process.exit();
  } catch (error) {
    process.stderr.write(`${messageOf(error as Error & { code?: string })}\n`);
    process.exit(1);
  }
}

function messageOf(error: Error & { code?: string }): string {
  if (error.code === UNDEFINED_TABLE) return 'The database has no tables yet. Run `node dist/migrate.js` first.';
  return error instanceof EnvironmentFault ? error.message : String(error.stack);
}
