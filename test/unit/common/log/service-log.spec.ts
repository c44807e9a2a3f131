import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** The log goes to standard output, which this process shares with the runner. */
function written(code: string): string {
  const program = `import { logJson, serviceLog } from './src/common/log/service-log.ts'; const log = serviceLog('info'); ${code}`;
  const options = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

// security 110
describe('Log of a process', () => {
  // A next line, an escape sequence in one byte, a line separator, an override of the direction, a tag of two units.
  const HOSTILE = 'a\u0085b\u009b2Jc\u2028d\u202ee\u{e0041}f"\n';

  it('escapes the control and format characters of texts, which stay the same for a reader of JSON', () => {
    const lines = written(`log.info({ said: ${JSON.stringify(HOSTILE)} }, ${JSON.stringify(HOSTILE)});
      logJson(log, 'info', ',"msg":' + JSON.stringify(${JSON.stringify(HOSTILE)}));`);
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(lines).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cf}]/u);
    const parsed = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed).toEqual([
      expect.objectContaining({ said: HOSTILE, msg: HOSTILE }),
      expect.objectContaining({ msg: HOSTILE }),
    ]);
  });
});
