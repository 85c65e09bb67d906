import { imageLibrary, inspectFilterList, isPublicAddress, messageOf } from "@snap/engine/internals";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readConfig, type Config } from "../../config.ts";
import { formatNoun } from "../../format.ts";
import { resolverOf } from "../../wire.ts";
import { checkAdminApi } from "./check-admin-api.ts";
import { checkBrowser } from "./check-browser.ts";
import { checkEmbedded } from "./check-embedded.ts";
import { checkShared } from "./check-shared.ts";
import { checkStores } from "./check-stores.ts";
import { checkUpstreamProxy, PUBLIC_NAME } from "./check-upstream-proxy.ts";
import { ok, problem, reasonOf, suspiciousVariable, warning, type Finding } from "../../findings/finding.ts";

/** Writing systems to check, with their fontconfig language and a package with fonts for them. */
const SCRIPTS = [
  { name: "Latin", language: "en", install: "fonts-liberation" },
  { name: "Chinese", language: "zh-cn", install: "fonts-noto-cjk" },
  { name: "Japanese", language: "ja", install: "fonts-noto-cjk" },
  { name: "Korean", language: "ko", install: "fonts-noto-cjk" },
  { name: "emoji", language: "und-zsye", install: "fonts-noto-color-emoji" },
] as const;
const FONTS_TIMEOUT_MS = 10_000;

/** Runs every check; returns the findings in the order in which to fix them. */
export async function examine(): Promise<readonly Finding[]> {
  const { config, findings } = checkConfiguration();
  // The other checks need a valid configuration.
  if (config === null) return findings;
  const checks = [
    checkBrowser(config),
    checkFonts(config),
    checkImageLibrary(),
    checkLists(config),
    checkStorage(config),
    checkNames(config),
    checkUpstreamProxy(config),
    checkStores(config),
  ];
  return [...findings, ...(await Promise.all<Finding | readonly Finding[]>(checks)).flat()];
}

function checkConfiguration(): { readonly config: Config | null; readonly findings: readonly Finding[] } {
  const name = "configuration";
  try {
    const { config, warnings } = readConfig(process.env);
    const findings = warnings.map(suspiciousVariable);
    return { config, findings: findings.length > 0 ? findings : [ok(name, "every variable is valid")] };
  } catch (error) {
    return {
      config: null,
      findings: [problem("configuration_invalid", messageOf(error), "correct it, and run doctor again")],
    };
  }
}

/** Checks the storage, or the service that uses it. */
function checkStorage(config: Config): Promise<readonly Finding[]> {
  const { adminUrl, adminToken, shared } = config;
  if (adminUrl !== null) return checkAdminApi(adminUrl, adminToken ?? "");
  return shared === null ? checkEmbedded(config) : checkShared(config, shared);
}

/** Text in a writing system without a font renders as empty boxes. */
async function checkFonts({ browserEndpoints }: Config): Promise<Finding | readonly Finding[]> {
  // remote browsers use the fonts of their machines
  if (browserEndpoints.length > 0) return [];
  const counts = await Promise.all(SCRIPTS.map(({ language }) => countFonts(language)));
  if (counts.some((count) => count === null))
    return warning("fonts_unknown", "cannot list the fonts: fc-list failed", "apt-get install fontconfig");
  const missing = SCRIPTS.filter((_, index) => counts[index] === 0);
  if (missing.length === 0) return ok("fonts", SCRIPTS.map(({ name }) => name).join(", "));
  const message = `no font for ${missing.map(({ name }) => name).join(", ")}; such text renders as empty boxes`;
  const advice = `apt-get install ${[...new Set(missing.map(({ install }) => install))].join(" ")}`;
  return missing.some(({ name }) => name === "Latin")
    ? problem("fonts_missing", message, advice)
    : warning("fonts_missing", message, advice);
}

async function countFonts(language: string): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)("fc-list", [`:lang=${language}`, "family"], {
      timeout: FONTS_TIMEOUT_MS,
    });
    return stdout.split("\n").filter((line) => line !== "").length;
  } catch {
    return null;
  }
}

/** Checks the optional dependency that resizes images and encodes AVIF. */
async function checkImageLibrary(): Promise<Finding> {
  const failure = await imageLibrary.load();
  if (failure === null) return ok("images", `sharp ${imageLibrary.version}`);
  return warning(
    "sharp_missing",
    `screenshots cannot be resized or encoded as AVIF: sharp ${imageLibrary.isInstalled ? `does not load (${reasonOf(failure)})` : "is not installed"}`,
    "npm install sharp, next to the service; or ignore this if nobody needs them",
  );
}

/** Reports the filter lists. A file that is not a filter list makes the configuration invalid. */
async function checkLists({ filterLists }: Config): Promise<readonly Finding[]> {
  const reports = filterLists.map(async ({ file, purposes, text }) => {
    const { networkFilters, cosmeticFilters, skippedFilters, unsupportedLines } =
      await inspectFilterList(text);
    const facts = `${file} for ${purposes.join(" and ")}: ${networkFilters} network and ${cosmeticFilters} cosmetic filters`;
    return ok("filter lists", `${facts}, ${skippedFilters.length} skipped, ${unsupportedLines} unsupported`);
  });
  return Promise.all(reports);
}

/** Checks that public names resolve to public addresses; pages at other addresses are blocked. */
async function checkNames(config: Config): Promise<Finding | readonly Finding[]> {
  if (config.upstreamProxy !== null && config.upstreamProxyDns === "proxy") return [];
  try {
    const addresses = await resolverOf(config).resolve(PUBLIC_NAME);
    if (addresses.length === 0) throw new Error("according to the name servers, it does not exist");
    const unusable = addresses.find((address) => !isPublicAddress(address));
    if (unusable !== undefined) throw new Error(`it has the address ${unusable}, which is not public`);
    return ok(
      "name resolution",
      `${PUBLIC_NAME} has ${formatNoun(addresses.length, "address", "addresses")}`,
    );
  } catch (error) {
    return warning(
      "names_unresolved",
      `${PUBLIC_NAME} does not resolve (${reasonOf(error)}); the service cannot render pages on the internet`,
      `check ${config.nameServers === null ? "/etc/resolv.conf" : "SNAP_DNS_SERVERS"} and the internet connection; ${
        config.upstreamProxy === null
          ? "if you render only pages on your own network, ignore this"
          : "if this network resolves no public names, set SNAP_UPSTREAM_PROXY_DNS=proxy"
      }`,
    );
  }
}
