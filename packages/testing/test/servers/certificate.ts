import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/** An entry in `subjectAltName` (RFC 5280, 4.2.1.6). */
export type AlternativeName =
  | { readonly kind: "dns"; readonly name: string }
  | { readonly kind: "address"; readonly bytes: readonly number[] };

interface CertificateOptions {
  readonly names: readonly AlternativeName[];
  readonly validUntil: Date;
}

/** Creates a self-signed certificate (RFC 5280, 4.1) and its key, both as PEM. */
export function makeCertificate(options: CertificateOptions): {
  readonly cert: string;
  readonly key: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = encodeBody(options, publicKey);
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.of(0), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Encodes the part that is signed (`TBSCertificate`). */
function encodeBody({ names, validUntil }: CertificateOptions, publicKey: KeyObject): Buffer {
  const version3 = der(0xa0, der(0x02, Buffer.of(2)));
  const serialNumber = der(0x02, Buffer.of(1));
  const validity = sequence(utcTime(new Date(Date.UTC(2020, 0))), utcTime(validUntil));
  const subjectPublicKey = publicKey.export({ type: "spki", format: "der" });
  const subjectAltName = sequence(
    der(0x06, Buffer.from("551d11", "hex")),
    der(0x04, sequence(...names.map(alternativeName))),
  );
  const name = sequence(
    der(0x31, sequence(der(0x06, Buffer.from("550403", "hex")), der(0x0c, Buffer.from("Receiver")))),
  );
  const extensions = der(0xa3, sequence(subjectAltName));
  return sequence(
    version3,
    serialNumber,
    ECDSA_WITH_SHA256,
    name, // the issuer's
    validity,
    name, // the subject's
    subjectPublicKey,
    extensions,
  );
}

/** Encodes a value as DER (X.690, 10): tag, length, contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function utcTime(instant: Date): Buffer {
  const digits = instant.toISOString().replaceAll(/\D/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function alternativeName(name: AlternativeName): Buffer {
  return name.kind === "dns" ? der(0x82, Buffer.from(name.name)) : der(0x87, Buffer.from(name.bytes));
}

const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
