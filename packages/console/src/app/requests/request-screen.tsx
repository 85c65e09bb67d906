import { DOCUMENT_ORIGIN, type AdminRequest } from "@snap/protocol";
import type { JSX } from "preact";
import { useAccountNames } from "../accounts/account-names.ts";
import { useLoad } from "../hooks/use-load.ts";
import type { ScreenProps } from "../layout/screens.ts";
import { playgroundLink } from "../playground/form-link.ts";
import { Rendering } from "../rendering/rendering.tsx";
import { toHash } from "../routing/route.ts";
import { useAdmin } from "../session/session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { Empty, WhenLoaded } from "../ui/states.tsx";
import { ParameterTable } from "./parameter-table.tsx";
import { RequestFacts } from "./request-facts.tsx";

export function RequestScreen({ id }: ScreenProps): JSX.Element {
  const admin = useAdmin();
  const names = useAccountNames();
  const request = useLoad(id, (signal) => admin.request(id, signal));
  return (
    <>
      <PageHead
        title="Request"
        summary={<code>{id}</code>}
        parent={{ label: "Requests", href: toHash(["requests"]) }}
        actions={request.data !== null && <RequestActions request={request.data} />}
      />
      <WhenLoaded loaded={request} what="the request">
        {(data) => (
          <div class="stack">
            {data.code !== null && <RequestFailure request={data} />}
            <div class="columns">
              <div class="stack">
                <section class="panel padded" aria-labelledby="facts">
                  <h2 id="facts">Details</h2>
                  <RequestFacts request={data} names={names} />
                </section>
                {data.code === null && <ParameterTable parameters={data.parameters} />}
              </div>
              {data.code === null ? (
                <CachedRendering request={data} />
              ) : (
                <ParameterTable parameters={data.parameters} />
              )}
            </div>
          </div>
        )}
      </WhenLoaded>
    </>
  );
}

function RequestActions({ request }: { readonly request: AdminRequest }): JSX.Element {
  const { request_id: requestId, parameters } = request;
  return (
    <>
      {requestId !== null && (
        <CopyButton text={requestId} what="Request id">
          Copy request id
        </CopyButton>
      )}
      {parameters !== null && (
        <a class="button" href={playgroundLink(parameters)}>
          Open in the playground
        </a>
      )}
    </>
  );
}

function RequestFailure({ request }: { readonly request: AdminRequest }): JSX.Element {
  return (
    <div class={`banner ${request.status >= 500 ? "bad" : "warn"}`}>
      <div>
        <p class="failure-title">
          {request.status} <code>{request.code}</code>
        </p>
        {request.message !== null && <p class="any-text">{request.message}</p>}
      </div>
    </div>
  );
}

function CachedRendering({ request }: { readonly request: AdminRequest }): JSX.Element {
  const admin = useAdmin();
  const rendering = useLoad(request.id, (signal) =>
    admin.rendering(request.id, signal).then((blob) => ({ blob })),
  );
  const isDocument = request.host === new URL(DOCUMENT_ORIGIN).hostname;
  return (
    <section class="panel padded" aria-labelledby="rendering">
      <h2 id="rendering">Rendering</h2>
      <WhenLoaded loaded={rendering} what="the rendering">
        {({ blob }) =>
          blob === null ? (
            <Empty title="Not cached.">
              {isDocument ? (
                <p>The page can be rendered again only while its document is stored.</p>
              ) : (
                <p>Open the request in the playground to render it again.</p>
              )}
            </Empty>
          ) : (
            <Rendering
              file={blob}
              name={request.id}
              description={`Rendering of ${request.host ?? "the page"}`}
            />
          )
        }
      </WhenLoaded>
    </section>
  );
}
