import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import { openPort } from "./open-port.ts";

/** A question in the class IN. */
export interface Question {
  readonly name: string;
  readonly type: "A" | "AAAA";
}

/** Addresses of any family, no response at all, or a failure (RFC 1035, 4.1.1). */
export type Reply = readonly string[] | "silent" | keyof typeof RESPONSE_CODES;

/** A name server for a test, on the loopback interface. */
export interface NameServer {
  /** The address in the format of `dns.setServers`. */
  readonly address: string;
  /** Every question so far, such as `A example.com`, with repetitions. */
  readonly questions: readonly string[];
  /** Resolves once this question has been asked, or this many in total. */
  whenAsked(question: string | number): Promise<void>;
  close(): void;
}

const RESPONSE_CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const TYPES: Readonly<Record<number, Question["type"]>> = { 1: "A", 28: "AAAA" };
const HEADER_BYTES = 12;
/** The limit of RFC 1035, 4.2.1. */
const UDP_BYTES_MAX = 512;
const TTL_S = 3600;

/**
 * Starts a name server over UDP and TCP. A response that is too long for UDP is truncated.
 *
 * @example
 * const server = await openNameServer(({ name }) => (name === "example.com" ? ["192.0.2.1"] : "NXDOMAIN"));
 * const resolver = createSystemResolver({ servers: [server.address] });
 */
export async function openNameServer(reply: (question: Question) => Reply): Promise<NameServer> {
  const questions: string[] = [];
  const watchers = new Set<() => void>();
  const respond = (query: Buffer): Buffer | null => {
    const { end, question } = parseQuestion(query);
    questions.push(`${question.type} ${question.name}`);
    for (const check of watchers) check();
    const answer = reply(question);
    return answer === "silent" ? null : writeResponse(query.subarray(0, end), { question, answer });
  };

  const tcp = createServer((socket) => {
    socket.on("data", (data) => {
      const response = respond(data.subarray(2));
      if (response === null) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    });
  });
  const { port, close } = await openPort(tcp);

  const udp = createSocket("udp4", (query, from) => {
    const response = respond(query);
    if (response !== null) udp.send(truncate(response, query), from.port, from.address);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");

  return {
    address: `127.0.0.1:${port}`,
    questions,
    async whenAsked(question) {
      const wasAsked = (): boolean =>
        typeof question === "number" ? questions.length >= question : questions.includes(question);
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = (): void => void (wasAsked() && resolve());
      watchers.add(check);
      check();
      await promise;
      watchers.delete(check);
    },
    close() {
      udp.close();
      void close();
    },
  };
}

function parseQuestion(query: Buffer): { readonly question: Question; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)];
  if (type === undefined) throw new Error("the name server supports only address queries");
  return { question: { name: labels.join("."), type }, end: at + 5 };
}

function writeResponse(
  query: Buffer,
  { question, answer }: { readonly question: Question; readonly answer: Exclude<Reply, "silent"> },
): Buffer {
  const isFailure = typeof answer === "string";
  const records = isFailure
    ? []
    : answer.filter((address) => isIPv6(address) === (question.type === "AAAA")).map(writeRecord);
  const response = Buffer.from(query);
  response.writeUInt16BE(0x8180 | (isFailure ? RESPONSE_CODES[answer] : 0), 2);
  response.writeUInt16BE(records.length, 6);
  response.fill(0, 8, HEADER_BYTES);
  return Buffer.concat([response, ...records]);
}

function writeRecord(address: string): Buffer {
  const data = isIPv6(address) ? bytesOfIpv6(address) : Buffer.from(address.split(".").map(Number));
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0); // the name in the question
  record.writeUInt16BE(isIPv6(address) ? 28 : 1, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_S, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOfIpv6(address: string): Buffer {
  const [left = [], right = []] = address
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...zeros, ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** If the response is too long for UDP, sets the TC bit and leaves out the records. */
function truncate(response: Buffer, query: Buffer): Buffer {
  if (response.length <= UDP_BYTES_MAX) return response;
  const truncated = Buffer.from(response.subarray(0, parseQuestion(query).end));
  truncated.writeUInt16BE(0x8380, 2);
  truncated.writeUInt16BE(0, 6);
  return truncated;
}
