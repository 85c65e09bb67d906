/*
 * SHA-256 (FIPS 180-4). Written out because this package imports nothing and signs synchronously, so
 * that a signed URL can stand right in a template; Web Crypto only answers asynchronously. Names are
 * those of the standard; words are kept big-endian in views, as the standard has them.
 */

/** Bytes of one block, 5.2.1. */
export const BLOCK_BYTES = 64;
/** Bytes of the message length that closes the padding, 5.1.1. */
const LENGTH_BYTES = 8;
const ROUNDS = 64;

const PRIMES = firstPrimes(ROUNDS);
/** 4.2.2: from the cube roots of the first 64 primes. */
const K = fractionalBits(PRIMES, Math.cbrt);
/** 5.3.3: from the square roots of the first eight. */
const INITIAL_HASH = fractionalBits(PRIMES.slice(0, 8), Math.sqrt);

/** The digest of a message, 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = pad(message);
  const hash = new DataView(INITIAL_HASH.buffer.slice(0));
  const schedule = new DataView(new ArrayBuffer(ROUNDS * 4));
  for (let offset = 0; offset < padded.byteLength; offset += BLOCK_BYTES) {
    prepareSchedule(schedule, new DataView(padded.buffer, offset, BLOCK_BYTES));
    compress(hash, schedule);
  }
  return new Uint8Array(hash.buffer);
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}

/** The first 32 bits of the fractional part of each root; a double holds some 50 of them. */
function fractionalBits(primes: readonly number[], root: (prime: number) => number): DataView<ArrayBuffer> {
  const words = new DataView(new ArrayBuffer(primes.length * 4));
  primes.forEach((prime, index) => words.setUint32(index * 4, (root(prime) % 1) * 2 ** 32));
  return words;
}

/** 5.1.1: a one bit, zeros, and the length in bits. */
function pad(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil((message.byteLength + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.byteLength] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.byteLength - LENGTH_BYTES, BigInt(message.byteLength) * 8n);
  return padded;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** 6.2.2, step 1. Addition is modulo 2^32, as `setInt32` stores it. */
function prepareSchedule(w: DataView, block: DataView): void {
  for (let t = 0; t < 16; t += 1) w.setInt32(t * 4, block.getInt32(t * 4));
  for (let t = 16; t < ROUNDS; t += 1) {
    const w15 = w.getInt32((t - 15) * 4);
    const w2 = w.getInt32((t - 2) * 4);
    const sigma0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const sigma1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    w.setInt32(t * 4, sigma1 + w.getInt32((t - 7) * 4) + sigma0 + w.getInt32((t - 16) * 4));
  }
}

/** 6.2.2, steps 2 to 4. */
function compress(hash: DataView, w: DataView): void {
  const before = Array.from({ length: 8 }, (_, index) => hash.getInt32(index * 4));
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = before;
  for (let t = 0; t < ROUNDS; t += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = h + sum1 + choice + K.getInt32(t * 4) + w.getInt32(t * 4);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash.setInt32(index * 4, hash.getInt32(index * 4) + word);
  });
}
