import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { readSignInCode } from "../routing/route.ts";
import { startSession, startTokenSession, type SessionState, type SignedOutReason } from "./session.ts";
import { forgetTokens } from "./stored-tokens.ts";

export interface SessionControl {
  readonly state: SessionState;
  readonly signInWithToken: (token: string) => void;
  readonly signOut: () => Promise<void>;
  readonly retry: () => void;
}

/** Sets the state, unless a later session has started: a late response must not end that one. */
type SetIfCurrent = (next: SessionState) => void;

/** Manages the session. Also handles a sign-in link that is opened in this tab later. */
export function useSessionState(): SessionControl {
  const [state, setState] = useState<SessionState>({ kind: "starting" });
  const latest = useRef<SetIfCurrent>(() => {});
  const begin = useCallback((): SetIfCurrent => {
    const setIfCurrent: SetIfCurrent = (next) => {
      if (latest.current !== setIfCurrent) return;
      if (next.kind === "signed-out") forgetTokens();
      setState(next);
    };
    latest.current = setIfCurrent;
    return setIfCurrent;
  }, []);
  const start = useCallback(async (code: string | null) => {
    const setIfCurrent = begin();
    setIfCurrent({ kind: "starting" });
    setIfCurrent(await startSession(code, createEndHandler(setIfCurrent)));
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
    const end = createEndHandler(latest.current);
    if (state.kind === "operator") await state.admin.signOut();
    end("signed-out");
  };
  const signInWithToken = (token: string): void => {
    const setIfCurrent = begin();
    setIfCurrent(startTokenSession(token, createEndHandler(setIfCurrent)));
  };
  return {
    state,
    signInWithToken,
    signOut,
    retry: () => void start(state.kind === "failed" ? state.code : null),
  };
}

function createEndHandler(setIfCurrent: SetIfCurrent): (reason: SignedOutReason) => void {
  return (reason) => setIfCurrent({ kind: "signed-out", reason });
}

/** Returns the sign-in code, and removes it from the address, so it does not stay there or in the browser history. */
function takeSignInCode(): string | null {
  const code = readSignInCode(location.hash);
  if (code !== null) location.replace("#/");
  return code;
}
