import type { ComponentType } from "preact";
import { AccountScreen } from "../accounts/account-screen.tsx";
import { AccountsScreen } from "../accounts/accounts-screen.tsx";
import { BatchScreen } from "../batches/batch-screen.tsx";
import { BatchesScreen } from "../batches/batches-screen.tsx";
import { HomeScreen } from "../home/home-screen.tsx";
import { PlaygroundScreen } from "../playground/playground-screen.tsx";
import { RequestScreen } from "../requests/request-screen.tsx";
import { RequestsScreen } from "../requests/requests-screen.tsx";
import type { Session } from "../session/session.ts";
import type { IconName } from "../ui/icon.tsx";
import { CreditsScreen } from "../usage/credits-screen.tsx";
import { UsageScreen } from "../usage/usage-screen.tsx";

export interface ScreenProps {
  /** The id in the path; `""` without one. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Changes with every navigation. */
  readonly visit: number;
}

interface Screen {
  /** First path segment, and name of the icon. */
  readonly name: IconName;
  readonly label: string;
  /** Shown at `#/name`. */
  readonly index: ComponentType<ScreenProps>;
  /** Shows one entry of the list that `index` shows, at `#/name/id`. */
  readonly entry?: ComponentType<ScreenProps>;
}

const PLAYGROUND: Screen = { name: "playground", label: "Playground", index: PlaygroundScreen };
const BATCHES: Screen = { name: "batches", label: "Batches", index: BatchesScreen, entry: BatchScreen };

/** The screens of each kind of session, in menu order. The first is the start page. */
export const SCREENS: Readonly<Record<Session["kind"], readonly [Screen, ...Screen[]]>> = {
  operator: [
    { name: "home", label: "Home", index: HomeScreen },
    PLAYGROUND,
    { name: "requests", label: "Requests", index: RequestsScreen, entry: RequestScreen },
    BATCHES,
    { name: "accounts", label: "Accounts", index: AccountsScreen, entry: AccountScreen },
    { name: "usage", label: "Usage", index: UsageScreen },
  ],
  token: [PLAYGROUND, BATCHES, { name: "usage", label: "Usage", index: CreditsScreen }],
};
