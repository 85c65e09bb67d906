import { AwsV4Signer } from "aws4fetch";
import type { HttpRequest } from "./http-sender.ts";
import type { S3StoreOptions } from "./s3-store.ts";

/** Returns the headers with a signature (AWS Signature Version 4) that also covers the body. */
export async function sign(
  { method, url, headers }: HttpRequest,
  {
    region,
    accessKeyId,
    secretAccessKey,
    sha256,
    now,
  }: Pick<S3StoreOptions, "region" | "accessKeyId" | "secretAccessKey"> & {
    readonly sha256: string;
    readonly now: number;
  },
): Promise<Readonly<Record<string, string>>> {
  const datetime = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "X-Amz-Content-Sha256": sha256 },
    service: "s3",
    region,
    accessKeyId,
    secretAccessKey,
    datetime,
    allHeaders: true,
  });
  const signed = await signer.sign();
  return Object.fromEntries(signed.headers);
}
