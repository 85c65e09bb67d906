import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAction } from "../hooks/use-action.ts";
import { toHash } from "../routing/route.ts";
import type { CurrentRoute } from "../routing/use-route.ts";
import type { Session } from "../session/session.ts";
import { tokenIdOf } from "../session/stored-tokens.ts";
import { Icon } from "../ui/icon.tsx";
import { notify } from "../ui/notices.tsx";
import { Brand } from "./brand.tsx";
import { SCREENS } from "./screens.ts";

interface ShellProps {
  readonly session: Session;
  readonly route: CurrentRoute;
  readonly onSignOut: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** Navigation beside the content; above it on a phone. */
export function Shell({ session, route, onSignOut, children }: ShellProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [current = SCREENS[session.kind][0].name] = route.path;
  useEffect(() => setOpen(false), [route.visit]);
  const signOut = useAction(onSignOut);
  useEffect(() => {
    if (signOut.failure !== null) notify(`Cannot sign out. ${signOut.failure.message}`);
  }, [signOut.failure]);
  const skip = (event: Event): void => {
    // the hash is the route, so following the link would leave the screen
    event.preventDefault();
    document.querySelector<HTMLElement>("main")?.focus();
  };
  return (
    <div class="shell">
      <a class="skip-link" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="side">
        <div class="side-head">
          <a href={toHash([])}>
            <Brand />
            <span class="visually-hidden">start page</span>
          </a>
          <button
            type="button"
            class="button icon-only menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? "close" : "menu"} />
            <span class="visually-hidden">Menu</span>
          </button>
        </div>
        <div id="menu" class={isOpen ? "menu open" : "menu"}>
          <nav aria-label="Screens">
            <ul>
              {SCREENS[session.kind].map(({ name, label }) => (
                <li key={name}>
                  <a href={toHash([name])} aria-current={name === current ? "page" : undefined}>
                    <Icon name={name} />
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <div class="side-foot">
            <p class="muted">
              {session.kind === "operator"
                ? "Operator"
                : `Token ${tokenIdOf(session.token) ?? "without an id"}`}
            </p>
            <button
              type="button"
              class="button small"
              onClick={() => signOut.run()}
              disabled={signOut.isRunning}
            >
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
