import { describe, expect, it, onTestFinished } from "vitest";
import { createAuthority } from "../../testing/test/servers/authority.ts";
import { findFreePort } from "../../testing/test/servers/free-port.ts";
import { startRedis } from "../../testing/test/servers/redis.ts";
import { openRedisCache, RedisUnreachableError } from "../src/index.ts";
import { openCache, useRedis } from "./redis.ts";

describe("a required Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();
  /** Expects opening to fail, and returns the message. */
  const failure = async (url: string): Promise<string> => {
    const error: unknown = await openRedisCache({ url, isRequired: true }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RedisUnreachableError);
    return (error as Error).message;
  };

  it("is used if it is reachable", async () => {
    const { onError } = await openCache({ url: redis().url, isRequired: true });
    expect(onError).not.toHaveBeenCalled();
  });

  it("must have a host name that resolves", async () => {
    expect(await failure("redis://cache.invalid:6379")).toMatch(
      /^Redis at cache\.invalid:6379 is unavailable: getaddrinfo \w+ cache\.invalid; correct the host name$/,
    );
  });

  it("must listen on the port", async () => {
    const port = await findFreePort();
    expect(await failure(`redis://127.0.0.1:${port}`)).toBe(
      `Redis at 127.0.0.1:${port} is unavailable: connect ECONNREFUSED 127.0.0.1:${port}; start Redis, or correct the host and the port`,
    );
  });

  it("must respond", async () => {
    const { pid, url } = redis();
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    expect(await failure(url)).toContain(
      "no response within 3000 ms; check the host, the port and the network",
    );
  });

  it("must use TLS if its URL is rediss://", async () => {
    expect(await failure(redis().url.replace("redis:", "rediss:"))).toContain(
      "use redis:// if Redis does not use TLS",
    );
  });

  it("is accepted if it is a read-only replica, and the rejected write is reported", async () => {
    const primary = await startRedis();
    const replica = await startRedis([`replicaof 127.0.0.1 ${new URL(primary.url).port}`]);
    onTestFinished(async () => {
      await replica.stop();
      await primary.stop();
    });
    const { onError } = await openCache({ url: replica.url, isRequired: true });
    expect(onError.mock.calls.map(([{ message }]) => message)).toEqual([expect.stringContaining("READONLY")]);
  });
});

describe("Redis with TLS", { tags: ["redis", "openssl"] }, () => {
  it("is rejected if its certificate is not trusted, or if the URL does not use TLS", async () => {
    const { certificateFile, keyFile } = await createAuthority();
    const port = await findFreePort();
    const redis = await startRedis([
      "port 0",
      `tls-port ${port}`,
      `tls-cert-file ${certificateFile}`,
      `tls-key-file ${keyFile}`,
      `tls-ca-cert-file ${certificateFile}`,
      "tls-auth-clients no",
    ]);
    onTestFinished(() => redis.stop());
    const open = (url: string): Promise<unknown> => openRedisCache({ url, isRequired: true });
    await expect(open(`rediss://localhost:${port}`)).rejects.toThrow(
      "set NODE_EXTRA_CA_CERTS to its certificate file",
    );
    await expect(open(`redis://localhost:${port}`)).rejects.toThrow("use rediss:// if Redis uses TLS");
  });
});
