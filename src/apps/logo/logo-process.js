// Its own process for one uploaded image: standard input is the image, the arguments say what it is taken for
// (png, jpeg, svg) and how many pixels its longer side has at most, standard output is the PNG that is kept. Exit code 3: cannot be decoded. Where an image takes too much
// processor time or memory, the process says so on standard error and kills itself.
// An upload can contain anything, and decoders are big native libraries: here a crash, a decompression bomb or an SVG
// that draws for hours costs this process alone, and there is no secret in its memory. The parent ends it when it takes
// too long. Plain JavaScript so that the same file serves the build and the tests.
import { writeFileSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import sharp from 'sharp';

const MAX_PIXELS = 25_000_000;
const MAX_MEMORY_BYTES = 400 * 1024 * 1024;
/** Of processor time, so that a busy machine refuses nothing that a quiet one takes. */
const MAX_MICROSECONDS = 2_000_000;
/** What the parent looks for. */
const TOO_COSTLY = 'too costly';
const STDERR = 2;
/** An app's settings travel with its logo in them, so a large picture is reduced to 256 colors. */
const FULL_COLOR_BYTES = 64 * 1024;

setPriority(5);
try {
  writeFileSync('/proc/self/oom_score_adj', '1000'); // If memory runs out, let it be this process.
} catch {
  // Not Linux.
}
// Decoding runs in native threads, so this thread is free to watch. It must not call `process.exit`: an orderly exit waits
// for those threads, and an image that draws without end would go on until the parent's limit.
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (user + system <= MAX_MICROSECONDS && process.memoryUsage.rss() <= MAX_MEMORY_BYTES) return;
  writeSync(STDERR, TOO_COSTLY);
  process.kill(process.pid, 'SIGKILL');
}, 5);

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadSvgBuffer'] });

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const png = await convert(Buffer.concat(chunks), process.argv[2], Number(process.argv[3]));
if (png) process.stdout.write(png, () => process.exit(0));
else process.exit(3);

/** @returns {Promise<Buffer | null>} null for what cannot be decoded */
async function convert(bytes, kind, side) {
  try {
    // From a buffer, so that an SVG has no address of its own and librsvg follows no reference out of it.
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true });
    if ((await image.metadata()).format !== kind) return null;
    image
      .autoOrient()
      .resize(side, side, { fit: 'inside', withoutEnlargement: kind !== 'svg' })
      .toColourspace('srgb');
    const full = await image.clone().png({ compressionLevel: 9 }).toBuffer();
    return full.length <= FULL_COLOR_BYTES ? full : await image.png({ palette: true }).toBuffer();
  } catch {
    return null;
  }
}
