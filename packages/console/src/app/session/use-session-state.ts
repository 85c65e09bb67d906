import { useCallback, useEffect, useState } from "preact/hooks";
import { readSignInCode } from "../routing/route.ts";
import { startSession, startTokenSession, type SessionState, type SignedOutReason } from "./session.ts";
import { forgetTokens } from "./stored-tokens.ts";

export interface SessionControl {
  readonly state: SessionState;
  readonly useToken: (token: string) => void;
  readonly signOut: () => Promise<void>;
  readonly retry: () => void;
}

/** Manages the session. Also handles a sign-in link that is opened in this tab later. */
export function useSessionState(): SessionControl {
  const [state, setState] = useState<SessionState>({ kind: "starting" });
  const end = useCallback((reason: SignedOutReason) => setState({ kind: "signed-out", reason }), []);
  const start = useCallback(() => {
    const code = takeSignInCode();
    setState({ kind: "starting" });
    void startSession(code, end).then(setState);
  }, []);

  useEffect(() => {
    start();
    const restart = (): void => {
      if (readSignInCode(location.hash) !== null) start();
    };
    addEventListener("hashchange", restart);
    return () => removeEventListener("hashchange", restart);
  }, []);

  const signOut = async (): Promise<void> => {
    if (state.kind === "operator") await state.admin.signOut();
    forgetTokens();
    end("signed-out");
  };
  return { state, useToken: (token) => setState(startTokenSession(token, end)), signOut, retry: start };
}

/** Removes the sign-in code from the address, so it neither stays in the history nor appears on a screen. */
function takeSignInCode(): string | null {
  const code = readSignInCode(location.hash);
  if (code !== null) location.replace("#/");
  return code;
}
