import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a ZIP file, which can declare a wrong size or checksum. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly bytes?: string | Uint8Array;
  /** `st_mode`, in the upper 16 bits of the external file attributes. */
  readonly mode?: number;
  /** General-purpose bit flag; by default only bit 11 (UTF-8 names). */
  readonly flags?: number;
  readonly method?: number;
  readonly uncompressedSize?: number;
  readonly checksum?: number;
}

/** Returns a ZIP file (APPNOTE.TXT, 4.3). `entryCount` is the count in the end of central directory record. */
export function zipOf(entries: readonly ZipEntry[], entryCount = entries.length): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes = "", mode = 0, flags = 0x800, method = 8, ...declared } of entries) {
    const content = Buffer.from(bytes);
    const stored = method === 8 ? deflateRawSync(content) : content;
    const rawName = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(declared.checksum ?? crc32(content), 10);
    common.writeUInt32LE(stored.byteLength, 14);
    common.writeUInt32LE(declared.uncompressedSize ?? content.byteLength, 18);
    common.writeUInt16LE(rawName.byteLength, 22);
    locals.push(Buffer.from("PK\x03\x04"), common, rawName, stored);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, rest, rawName);
    offset += 30 + rawName.byteLength + stored.byteLength;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entryCount, 8);
  end.writeUInt16LE(entryCount, 10);
  end.writeUInt32LE(directory.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
