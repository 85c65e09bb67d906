import { startStub } from "./stub-server.ts";

// `pnpm exec node packages/console/test/stub/serve.ts` serves the console with sample data, for work on its screens.

const stub = await startStub(3210);
console.log(`${stub.origin}/console/#sign-in=correct-code`);
console.log(`${stub.origin}/console/ with the token 7|holder-secret`);
