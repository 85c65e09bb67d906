import type { JSX } from "preact";
import { useLoad } from "../hooks/use-load.ts";
import { useService } from "../session/session.ts";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { CreditFigures } from "./credit-figures.tsx";

/** The usage report of a token holder's account. */
export function CreditsScreen(): JSX.Element {
  const report = useLoad("usage", useService().usage);
  return (
    <>
      <PageHead title="Usage" summary="Your account in the current period." />
      <WhenLoaded loaded={report} what="the usage">
        {(data) => <CreditFigures report={data} />}
      </WhenLoaded>
    </>
  );
}
