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

/** Sets the state, unless a later session has started: a late response must not end that one. */
type Enter = (next: SessionState) => void;

/** Manages the session. Also handles a sign-in link that is opened in this tab later. */
export function useSessionState(): SessionControl {
  const [state, setState] = useState<SessionState>({ kind: "starting" });
  const latest = useRef<Enter>(() => {});
  const begin = useCallback((): Enter => {
    const enter: Enter = (next) => {
      if (latest.current !== enter) return;
      if (next.kind === "signed-out") forgetTokens();
      setState(next);
    };
    latest.current = enter;
    return enter;
  }, []);
  const start = useCallback(async (code: string | null) => {
    const enter = begin();
    enter({ kind: "starting" });
    enter(await startSession(code, endOf(enter)));
  }, []);

  useEffect(() => {
    void start(takeSignInCode());
    const restart = (): void => {
      const code = takeSignInCode();
      if (code !== null) void start(code);
    };
    addEventListener("hashchange", restart);
    return () => removeEventListener("hashchange", restart);
  }, []);

  const signOut = async (): Promise<void> => {
    const end = endOf(latest.current);
    if (state.kind === "operator") await state.admin.signOut();
    end("signed-out");
  };
  const useToken = (token: string): void => {
    const enter = begin();
    enter(startTokenSession(token, endOf(enter)));
  };
  return {
    state,
    useToken,
    signOut,
    retry: () => void start(state.kind === "failed" ? state.code : null),
  };
}

function endOf(enter: Enter): (reason: SignedOutReason) => void {
  return (reason) => enter({ kind: "signed-out", reason });
}

/** Removes the sign-in code from the address, so it neither stays in the history nor appears on a screen. */
function takeSignInCode(): string | null {
  const code = readSignInCode(location.hash);
  if (code !== null) location.replace("#/");
  return code;
}
