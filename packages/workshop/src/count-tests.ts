import { readFileSync } from "node:fs";
import { countResults, type TestReport } from "./checks/count-results.ts";

const [report = ""] = process.argv.slice(2);
console.log(countResults(JSON.parse(readFileSync(report, "utf8")) as TestReport));
