import { useCallback, useEffect, useRef, useState } from "preact/hooks";
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
  /** The code of a start that failed, so it can be tried again. */
  const failedCode = useRef<string | null>(null);
  const start = useCallback(async () => {
    const code = takeSignInCode() ?? failedCode.current;
    setState({ kind: "starting" });
    const started = await startSession(code, end);
    failedCode.current = started.kind === "failed" ? code : null;
    setState(started);
  }, []);

  useEffect(() => {
    void start();
    const restart = (): void => {
      if (readSignInCode(location.hash) !== null) void start();
    };
    addEventListener("hashchange", restart);
    return () => removeEventListener("hashchange", restart);
  }, []);

  const signOut = async (): Promise<void> => {
    if (state.kind === "operator") await state.admin.signOut();
    forgetTokens();
    end("signed-out");
  };
  return {
    state,
    useToken: (token) => setState(startTokenSession(token, end)),
    signOut,
    retry: () => void start(),
  };
}

/** Removes the sign-in code from the address, so it neither stays in the history nor appears on a screen. */
function takeSignInCode(): string | null {
  const code = readSignInCode(location.hash);
  if (code !== null) location.replace("#/");
  return code;
}
