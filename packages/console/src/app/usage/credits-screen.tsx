import type { JSX } from "preact";
import type { ServiceApi } from "../api/service.ts";
import { useLoad } from "../hooks/use-load.ts";
import { useSession } from "../session/session.ts";
import { PageHead } from "../ui/page-head.tsx";
import { WhenLoaded } from "../ui/states.tsx";
import { CreditFigures } from "./credit-figures.tsx";

/** The usage report of a token holder's account. */
export function CreditsScreen(): JSX.Element | null {
  const session = useSession();
  if (session.kind !== "token") return null;
  return <Credits load={session.service.usage} />;
}

function Credits({ load }: { readonly load: ServiceApi["usage"] }): JSX.Element {
  const report = useLoad("usage", load);
  return (
    <>
      <PageHead title="Usage" summary="Your account in the current period." />
      <WhenLoaded loaded={report} what="the usage">
        {(data) => <CreditFigures report={data} />}
      </WhenLoaded>
    </>
  );
}
