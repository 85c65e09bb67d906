import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTemporaryDirectory } from "./temporary-directory.ts";

const execute = promisify(execFile);

/** The files of a certificate authority that no program trusts, and of a certificate that it has signed. */
export interface Authority {
  /** The authority's certificate. */
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Creates an authority for the running test, with a certificate for `localhost`. */
export async function createAuthority(): Promise<Authority> {
  const folder = await createTemporaryDirectory();
  const openssl = (line: string): Promise<unknown> => execute("openssl", line.split(" "), { cwd: folder });
  const newKeyOptions = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  await openssl(
    `req -x509 ${newKeyOptions} -days 2 -subj /CN=authority -keyout authority.key -out authority.pem`,
  );
  await openssl(`req ${newKeyOptions} -subj /CN=localhost -keyout server.key -out server.csr`);
  await writeFile(join(folder, "names"), "subjectAltName=DNS:localhost\n");
  await openssl(
    "x509 -req -in server.csr -days 2 -CA authority.pem -CAkey authority.key -CAcreateserial -extfile names -out server.pem",
  );
  return {
    authorityFile: join(folder, "authority.pem"),
    certificateFile: join(folder, "server.pem"),
    keyFile: join(folder, "server.key"),
  };
}
