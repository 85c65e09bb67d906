import type { JSX } from "preact";
import { SCREENS } from "./layout/screens.ts";
import { Shell } from "./layout/shell.tsx";
import { toHash } from "./routing/route.ts";
import { useRoute, type CurrentRoute } from "./routing/use-route.ts";
import { SessionContext, type Session } from "./session/session.ts";
import { SignInScreen } from "./session/sign-in-screen.tsx";
import { useSessionState } from "./session/use-session-state.ts";
import { Notices } from "./ui/notices.tsx";
import { PageHead } from "./ui/page-head.tsx";
import { Empty, Failure, Loading } from "./ui/states.tsx";

export function App(): JSX.Element {
  const { state, signInWithToken, signOut, retry } = useSessionState();
  const route = useRoute();
  return (
    <>
      {state.kind === "starting" && (
        <main class="sign-in">
          <h1 class="visually-hidden">snap console</h1>
          <Loading what="the console" />
        </main>
      )}
      {state.kind === "failed" && (
        <main class="sign-in">
          <PageHead title="The console cannot start" />
          <Failure failure={state.failure} onRetry={retry} />
        </main>
      )}
      {state.kind === "signed-out" && <SignInScreen reason={state.reason} onToken={signInWithToken} />}
      {(state.kind === "operator" || state.kind === "token") && (
        <SessionContext.Provider value={state}>
          <Shell session={state} route={route} onSignOut={signOut}>
            <CurrentScreen session={state} route={route} />
          </Shell>
        </SessionContext.Provider>
      )}
      <Notices />
    </>
  );
}

/** Each path gets its own component instance, so screens do not share state. */
function CurrentScreen({
  session,
  route,
}: {
  readonly session: Session;
  readonly route: CurrentRoute;
}): JSX.Element {
  const screens = SCREENS[session.kind];
  const [name = screens[0].name, id] = route.path;
  const screen = screens.find((each) => each.name === name);
  const Content = id === undefined ? screen?.index : screen?.entry;
  if (Content === undefined) return <UnknownScreen isOperator={session.kind === "operator"} />;
  return <Content key={`${name}/${id}`} id={id ?? ""} query={route.query} visit={route.visit} />;
}

function UnknownScreen({ isOperator }: { readonly isOperator: boolean }): JSX.Element {
  return (
    <>
      <PageHead title="No such screen" />
      <div class="panel">
        <Empty title={isOperator ? "No screen has this address." : "A token has no screen at this address."}>
          <p>
            {!isOperator && "Operators can open more screens. "}
            <a href={toHash([])}>Go to the start page</a>
          </p>
        </Empty>
      </div>
    </>
  );
}
