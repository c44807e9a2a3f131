import { describe, expect, it } from '@jest/globals';
import { imageKindOf, isPng } from '../../../../src/apps/logo/image-kind.rules.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('Image type from the content', () => {
  it.each([
    [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]), 'png'],
    [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'jpeg'],
    [Buffer.from(SVG), 'svg'],
    [Buffer.from(`\ufeff \n${SVG}`), 'svg'],
    [Buffer.from(`<?xml version="1.0" encoding='ISO-8859-1'?>\n${SVG}`), 'svg'],
    [Buffer.from(`<?xml version="1.0"?><!-- note --><!DOCTYPE svg PUBLIC "a" "b">${SVG}`), 'svg'],
    [Buffer.from('<s:svg xmlns:s="http://www.w3.org/2000/svg"></s:svg>'), 'svg'],
  ])('is detected: %s', (bytes, kind) => {
    expect(imageKindOf(bytes)).toBe(kind);
    expect(isPng(bytes)).toBe(kind === 'png');
  });

  it.each([
    '',
    'GIF89a',
    'RIFF....WEBPVP8 ',
    '<html></html>',
    `text before ${SVG}`,
    `<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`,
    `<!DOCTYPE svg [<!entity a "b">]>${SVG}`,
    `<?xml version="1.0" encoding="UTF-7"?>${SVG}`,
    `<?xml version="1.0" encoding="utf-16"?>${SVG}`,
    `<?xml version="1.0" encoding = "ebcdic-cp-us" ?>${SVG}`,
    `${SVG}\0`,
    '<svgz/>',
  ])('is not detected in %j', (text) => {
    expect(imageKindOf(Buffer.from(text))).toBeNull();
  });

  it('is detected in 2 MB without delay', () => {
    const before = process.cpuUsage();
    for (const piece of ['<!--', '<', ' ', '<?xml ', '<a:', '<!DOCTYPE ['])
      imageKindOf(Buffer.from(`<${piece.repeat(2 ** 21 / piece.length)}`));
    const { user, system } = process.cpuUsage(before); // not the clock: others may have the machine
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});
